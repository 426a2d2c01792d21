/* record.c - records a unit instead of compiling it: writes its stub object, its depfile and its
 * record.
 *
 * The order matters if a build is interrupted. The record is written last, so the object of each
 * record exists; make or ninja, which look at the object, repeat a call that did not get that far.
 */
#include "wrap.h"
#include "core/cc/ccenv.h"
#include "core/base/path.h"
#include "core/files/stubobj.h"

#include <unistd.h>

/* OPTION for each entry of LIST */
static void add_entries(struct argv *v, const char *option, const char *list) {
  for (const char *p = list;; p++) {
    size_t n = strcspn(p, ":");
    argv_add(v, option);
    /* an empty entry is the current directory */
    argv_add_own(v, n ? xstrndup(p, n) : xstrdup("."));
    p += n;
    if (!*p)
      return;
  }
}

/* Adds the options of the environment that come before the command line's (CCENV_BEFORE) or after
 * them (CCENV_BEHIND). */
static void add_from_environment(struct call *c, unsigned what) {
  struct argv *v = &c->args;
  for (const struct cc_variable *e = ccenv; e->name; e++) {
    const char *value = (e->what & what) && ccenv_is_read(e, c->kind) ? getenv(e->name) : NULL;
    if (!value || !*value)
      continue;
    if (!e->option) {
      c->unclear |= !ccargs_split(v, c->kind->dialect, value);
    } else if (e->list) {
      add_entries(v, e->option, value);
    } else {
      argv_add_words(v, e->option, value, NULL);
    }
  }
}

/* whether PROGRAM, a name on the PATH or a path, NULL for none, is in the fake home */
static bool leads_home(const struct call *c, const char *program) {
  autofree char *word = program ? xstrndup(program, strcspn(program, " ")) : NULL,
                *file = word && *word ? path_which(word) : NULL;
  autofree char *dir = file ? path_dir(file) : NULL, *bin = path_join(c->home->dir, "bin");
  autofree char *a = dir ? realpath(dir, NULL) : NULL, *b = realpath(bin, NULL);
  return a && b && strcmp(a, b) == 0;
}

/* The host compiler that nvcc gets. If it is one of the fake home's (CMake's CUDAHOSTCXX, for its
 * link steps), the real one of that name, because the home may be gone when the kernel is compiled.
 * free() it; NULL if it can stay. */
static char *real_host_compiler(const struct call *c, const char *named) {
  if (!leads_home(c, named))
    return NULL;
  const char *base = path_base(named);
  return xstrdup(strcmp(base, "ckjit-cxx") == 0 ? c->home->real_cxx : base);
}

static void leave_home_of_nvcc(const struct call *c, struct argv *v) {
  static const char *const options[] = {"-ccbin", "--compiler-bindir", "-compiler-bindir"};
  for (size_t i = 0; i < v->n; i++)
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
      size_t n = strlen(options[k]);
      char *word = v->args[i], *real = NULL;
      if (strncmp(word, options[k], n) != 0)
        continue;
      if (word[n] == '=' && (real = real_host_compiler(c, word + n + 1))) {
        v->args[i] = xasprintf("%s=%s", options[k], real);
        free(word);
        free(real);
      } else if (!word[n] && i + 1 < v->n && (real = real_host_compiler(c, v->args[i + 1]))) {
        free(v->args[++i]);
        v->args[i] = real;
      }
      break;
    }
}

void wrap_arguments(struct call *c) {
  struct argv given = {0};
  c->unclear = !ccargs_expand(&given, c->kind->dialect, c->cwd, c->argv + 1);
  add_from_environment(c, CCENV_BEFORE);
  bool added = false; /* before "--", because nothing after it is an option */
  for (size_t i = 0; i < given.n; i++) {
    if (!added && strcmp(given.args[i], "--") == 0) {
      add_from_environment(c, CCENV_BEHIND);
      added = true;
    }
    c->unclear |= given.args[i][0] == '@' && given.args[i][1];
    argv_add_own(&c->args, given.args[i]);
  }
  if (!added)
    add_from_environment(c, CCENV_BEHIND);
  free(given.args);
  if (c->kind->host)
    leave_home_of_nvcc(c, &c->args);
}

/* False with errno. Makes the work directory if needed: the first call of a build may find none. */
static bool append(const struct call *c, const struct buf *line, char *file) {
  bool done = record_append(file, line->data, line->len);
  if (!done && errno == ENOENT && dir_make_work(c->work))
    done = record_append(file, line->data, line->len);
  return done;
}

static char *manifest_of(const struct call *c) {
  return path_join(c->work, RECORD_FILE);
}

/* A CUDA build finds nvcc by CUDA_HOME alone, but the C++ compiler does its link. If that is not
 * ours, it cannot link stub objects, or makes a library without them from an archive. Warns
 * once. */
static void warn_of_unseen_link(const struct call *c, const char *manifest) {
  if (!c->kind->host || file_exists(manifest) || leads_home(c, getenv("CXX")) ||
      leads_home(c, "c++"))
    return;
  warn("neither CXX nor the PATH leads to %s/bin: a link by another program than nvcc is not seen, "
       "and fails, or makes a library without kernels of archives; set both as `eval \"$(ckjit "
       "home …)\"` does [ckjit help not-on-the-path]",
       c->home->dir);
}

/* The record of the call, which makes OUTPUT, or NULL, of its source, if it has one. The process
 * ends soon: nothing is freed. */
static struct record record_of(const struct call *c, enum record_kind kind, const char *output) {
  const struct cc_input *source = c->cc.source;
  return (struct record){
      .kind = kind,
      .stem = source ? path_stem(source->text) : NULL,
      .source = source ? path_abs_in(c->cwd, source->text) : NULL,
      .output = output ? path_abs_in(c->cwd, output) : NULL,
      .cwd = c->cwd,
      .compiler = c->compiler,
      .compiler_kind = c->kind,
      .why = c->why,
      .not_lazy = (char *)c->not_lazy,
      .args = c->args,
  };
}

static bool write_object(const struct call *c, const char *output, const struct buf *line) {
  const struct ckjit_machine *machine = home_machine(c->home);
  if (stub_write(output, machine, line->data, line->len))
    return true;
  return errno == EACCES && c->kind->replaces && file_is_regular(output) && unlink(output) == 0 &&
         stub_write(output, machine, line->data, line->len);
}

bool wrap_record(const struct call *c, enum record_kind kind) {
  char *output = ccargs_output(&c->cc), *file = manifest_of(c);
  warn_of_unseen_link(c, file);
  struct record r = record_of(c, kind, output), with_text = r;
  struct buf line = {0}, in_stub = {0};
  record_format(&line, &r);
  with_text.source_text = c->text;
  record_format(&in_stub, &with_text);
  if (!write_object(c, output, &in_stub))
    return false; /* The compiler can write it, or reports why not. */
  bool deps = !c->cc.deps.wanted || wrap_write_depfile(c);
  if (deps && append(c, &line, file))
    return true;
  if (deps)
    warn("%s: cannot record %s: %s; the compiler compiles it now; the work directory is `work` in "
         "%s/" HOME_FILE
         " or CK_JIT_TMP_DIR, and each step of the build must be able to write to it",
         file, r.source, strerror(errno), c->home->dir);
  unlink(output);
  if (c->cc.deps.wanted)
    unlink(ccargs_depfile(&c->cc));
  return false;
}

void wrap_format(struct buf *out, const struct call *c, enum record_kind kind) {
  struct record r = record_of(c, kind, c->cc.source ? ccargs_output(&c->cc) : NULL);
  record_format(out, &r);
}

int wrap_say(const struct call *c, enum record_kind kind) {
  struct buf line = {0};
  wrap_format(&line, c, kind);
  bool said = fwrite(line.data, 1, line.len, stdout) == line.len && fflush(stdout) == 0;
  return said ? EXIT_OK : EXIT_FAILED;
}

void wrap_note(const struct call *c, enum record_kind kind) {
  struct record r = {.kind = kind,
                     .cwd = c->cwd,
                     .compiler = c->compiler,
                     .compiler_kind = c->kind,
                     .why = c->why,
                     .not_lazy = (char *)c->not_lazy,
                     .args = c->args};
  if (kind == RECORD_LINK) {
    /* as given: a reader wants to see the response file, not its ten thousand words */
    r.args = (struct argv){0};
    argv_add_all(&r.args, c->argv + 1);
  }
  autofree_buf line = {0};
  record_format(&line, &r);
  append(c, &line, manifest_of(c));
}
