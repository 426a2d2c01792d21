/* state.c - see state.h. Paths below the work directory are written with {jit} in its place and
 * expanded when they are read. More than the types is checked: a file truncated by an editor must
 * not link a library without its objects.
 */
#include "state.h"
#include "storable.h"
#include "core/base/jsonread.h"
#include "core/base/path.h"
#include "core/base/trust.h"

static const char JIT[] = STATE_JIT;

/* The directory for {jit}: the parent of the directory of FILE. */
static char *work_dir(const char *file) {
  autofree char *abs = path_abs(file), *dir = path_dir(abs);
  return path_dir(dir);
}

/* Does a path start at AT? It does if there is no slash between AT and the start of the word or the
 * last of "=,:@": true for "/T/x", "-I/T/x", "-Wl,-rpath,/T/x" and "-L/a:/T/x", false for the /T/x
 * in "/home/T/x". */
static bool path_starts(const char *word, const char *at) {
  while (at > word && !strchr("=,:@", at[-1]))
    if (*--at == '/')
      return false;
  return true;
}

char *state_moved(const char *word, const char *from, const char *to) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  size_t n = strlen(from);
  for (const char *s = word; *s;) {
    bool here =
        strncmp(s, from, n) == 0 && (s[n] == 0 || strchr("/,:", s[n])) && path_starts(word, s);
    if (here) {
      buf_puts(&b, to);
      s += n;
    } else {
      buf_putc(&b, *s++);
    }
  }
  return b.data;
}

static char *expand(const char *word, const char *work) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (const char *s = word; *s;) {
    if (str_starts(s, JIT)) {
      buf_puts(&b, work);
      s += strlen(JIT);
    } else {
      buf_putc(&b, *s++);
    }
  }
  return b.data;
}

/* WORD as written to the file. NULL, with *BAD set to WORD, if it could not be read back
 * unchanged. */
static json_t *encode(const char *word, const char *work, const char **bad) {
  autofree char *text = state_moved(word, work, JIT);
  json_t *v = word_is_storable(word) ? json_string(text) : NULL;
  if (!v && !*bad)
    *bad = word;
  return v;
}

static json_t *encode_all(const struct argv *words, const char *work, const char **bad) {
  json_t *list = json_array();
  for (size_t i = 0; i < words->n; i++) {
    json_t *v = encode(words->args[i], work, bad);
    if (v)
      json_array_append_new(list, v);
  }
  return list;
}

static void put(json_t *top, const char *key, json_t *v) {
  if (v)
    json_object_set_new(top, key, v);
}

bool state_write(const char *file, const struct state *s, char **err) {
  autofree char *work = work_dir(file);
  const char *bad = NULL;
  json_t *top = json_object();
  put(top, "ckjit", json_integer(1));
  put(top, "out_so", encode(s->out_so, work, &bad));
  put(top, "all_objs", encode_all(&s->all_objs, work, &bad));
  put(top, "arch_fl", encode_all(&s->arch_fl, work, &bad));
  put(top, "link", encode_all(&s->link, work, &bad));
  put(top, "runtime_obj", encode(s->runtime_obj, work, &bad));
  put(top, "runtime_cc", encode_all(&s->runtime_cc, work, &bad));
  if (s->cwd) {
    put(top, "cwd", encode(s->cwd, work, &bad));
    put(top, "place", json_string(s->place ? s->place : work));
    put(top, "link_step", encode_all(&s->link_step, work, &bad));
    put(top, "link_env", encode_all(&s->link_env, work, &bad));
  }
  autofree char *text = bad ? NULL : json_dumps(top, JSON_INDENT(1));
  json_decref(top);
  if (bad)
    return err_fail(err, "%s: cannot hold '%s': words must be UTF-8 and must not contain %s", file,
                    bad, JIT);
  return (text && file_write(file, text, strlen(text), 0644)) ||
         err_fail(err, "%s: cannot write it: %s", file, strerror(errno));
}

static void expand_one(char **word, const char *work) {
  char *text = *word ? expand(*word, work) : NULL;
  free(*word);
  *word = text;
}

static void expand_all(struct argv *words, const char *work) {
  for (size_t i = 0; i < words->n; i++)
    expand_one(&words->args[i], work);
}

void state_link(struct argv *out, const struct argv *link, const struct argv *objs) {
  for (size_t i = 0; i < link->n; i++) {
    bool plain = strcmp(link->args[i], STATE_OBJS) == 0,
         nvcc = strcmp(link->args[i], STATE_OBJS_NVCC) == 0;
    if (!plain && !nvcc)
      argv_add(out, link->args[i]);
    for (size_t k = 0; k < objs->n && (plain || nvcc); k++)
      argv_addf(out, nvcc ? "-Xlinker=\"%s\"" : "%s", objs->args[k]);
  }
}

static void expect_word(struct json_reader *r, const char *list_name, const struct argv *list,
                        const char *word) {
  if (!r->err && !argv_has(list, word))
    json_reader_fail(r, list_name, "expected the word '%s' in it", word);
}

/* Check what a quick build relies on beyond types. With a file truncated by an editor it would link
 * a library without its objects, or overwrite the library in place. */
static void check(struct json_reader *r, const struct state *s) {
  if (!argv_has(&s->link, STATE_OBJS_NVCC))
    expect_word(r, "link", &s->link, STATE_OBJS);
  expect_word(r, "link", &s->link, s->out_so);
  expect_word(r, "runtime_cc", &s->runtime_cc, STATE_RUNTIME_SRC);
  expect_word(r, "runtime_cc", &s->runtime_cc, s->runtime_obj);
  expect_word(r, "all_objs", &s->all_objs, s->runtime_obj);
}

/* FILE and its directory must belong to the user, because ckjit runs the commands in it. False, and
 * the reason in *ERR. */
static bool is_own(const char *file, char **err) {
  autofree char *abs = path_abs(file), *work = work_dir(file);
  autofree char *why = file_exists(abs) ? trust_own_why(work, path_below(abs, work)) : NULL;
  if (why)
    *err = xasprintf("%s: is not used, because another user can change the commands in it "
                     "[ckjit help untrusted-directory]\n%s",
                     file, why);
  return !*err;
}

struct state *state_read(const char *file, char **err) {
  *err = NULL;
  if (!is_own(file, err))
    return NULL;
  struct json_reader r = {.file = file, .hint = "run `ckjit full` again"};
  struct state *s = xcalloc(1, sizeof *s);
  struct json_members top = {0};
  json_reader_open(&r, &top);
  if (json_reader_number(&r, &top, "", "ckjit") != 1)
    json_reader_fail(&r, "ckjit", "expected format 1, the one that ckjit " CKJIT_VERSION " reads");
  s->out_so = json_reader_string(&r, &top, "", "out_so");
  json_reader_strings(&r, &top, "", "all_objs", &s->all_objs);
  json_reader_strings(&r, &top, "", "arch_fl", &s->arch_fl);
  json_reader_strings(&r, &top, "", "link", &s->link);
  s->runtime_obj = json_reader_string(&r, &top, "", "runtime_obj");
  json_reader_strings(&r, &top, "", "runtime_cc", &s->runtime_cc);
  if (json_member(&top, "cwd")) {
    s->cwd = json_reader_string(&r, &top, "", "cwd");
    s->place = json_reader_string(&r, &top, "", "place");
    json_reader_strings(&r, &top, "", "link_step", &s->link_step);
    json_reader_strings(&r, &top, "", "link_env", &s->link_env);
  }
  json_reader_close(&r, &top);
  check(&r, s);
  if (r.err) {
    *err = r.err;
    state_free(s);
    free(s);
    return NULL;
  }
  autofree char *work = work_dir(file);
  expand_one(&s->out_so, work);
  expand_one(&s->runtime_obj, work);
  expand_one(&s->cwd, work);
  expand_all(&s->all_objs, work);
  expand_all(&s->arch_fl, work);
  expand_all(&s->link, work);
  expand_all(&s->runtime_cc, work);
  expand_all(&s->link_step, work);
  expand_all(&s->link_env, work);
  return s;
}

void state_free(struct state *s) {
  free(s->out_so);
  free(s->runtime_obj);
  free(s->cwd);
  free(s->place);
  argv_free(&s->link_step);
  argv_free(&s->link_env);
  argv_free(&s->all_objs);
  argv_free(&s->arch_fl);
  argv_free(&s->link);
  argv_free(&s->runtime_cc);
  *s = (struct state){0};
}
