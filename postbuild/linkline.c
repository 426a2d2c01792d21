/* linkline.c - the link command of the user's build, read and written again.
 *
 * Reading: core/cc/ccargs.h says which words are files and which files the linker would take for -l; each of them is
 * opened and searched for records (core/files/stubobj.h). The content decides, not the name: builds rename objects, put
 * them into archives, and join them with ld -r. A file that holds records and code (ld -r of both) stays in the link, and
 * its records count.
 *
 * Writing: the same words in the same order. STATE_OBJS stands where the first object stood, and paths are absolute,
 * because `ckjit quick` and `relink` run the command from another directory.
 */
#include "linkline.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/files/state.h"
#include "core/files/stubobj.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

/* What HOME/REST stands for; free() it. HOME/bin/ckjit-cxx is in no other home: CMake gives it to nvcc's device link, by -ccbin. */
static char *real_path(const struct home *home, const char *rest) {
  const char *name = str_starts(rest, "/bin/") ? rest + strlen("/bin/") : "";
  if (strcmp(name, "ckjit-cxx") == 0 || argv_has(&home->cxx, name))
    return xstrdup(strcmp(name, "ckjit-cxx") == 0 ? home->real_cxx : name);
  return xasprintf("%s%s", strcmp(home->real_home, "/") == 0 ? "" : home->real_home, rest);
}

/* HOME/… within a word becomes REAL_HOME/…: aiter passes -L$ROCM_HOME/lib and the like. */
static void leave_home(const struct home *home, struct argv *v) {
  size_t n = strlen(home->dir);
  for (size_t i = 0; i < v->n; i++) {
    char *at = strstr(v->args[i], home->dir);
    if (!at || (at[n] != '/' && at[n]))
      continue;
    char *path = real_path(home, at + n);
    char *word = xasprintf("%.*s%s", (int)(at - v->args[i]), v->args[i], path);
    free(path);
    free(v->args[i]);
    v->args[i] = word;
  }
}

/* The stub objects were made when the work directory was elsewhere. */
static void follow(const struct moved *moved, struct record *r) {
  enum { WORDS = 4 };
  char **words[WORDS] = {&r->source, &r->output, &r->cwd, &r->device_text};
  for (size_t i = 0; i < r->args.n + WORDS; i++) {
    char **word = i < WORDS ? words[i] : &r->args.args[i - WORDS];
    if (!*word)
      continue;
    char *text = state_moved(*word, moved->from, moved->to);
    free(*word);
    *word = text;
  }
}

struct finder {
  struct linkline *l;
  const struct moved *moved;
  const char *file; /* whose records are being read */
  size_t found;     /* in this file */
};

static bool is_known(const struct linkline *l, const struct record *r) {
  for (size_t i = 0; i < l->nrecords; i++)
    if (strcmp(l->records[i].output, r->output) == 0 && strcmp(l->records[i].source, r->source) == 0)
      return true;
  return false;
}

/* Are A and B of one object? */
static bool is_same(const struct record *a, const struct record *b) {
  return strcmp(a->output, b->output) == 0 && strcmp(a->source, b->source) == 0 &&
         (!a->key || !b->key || strcmp(a->key, b->key) == 0);
}

size_t linkline_find_record(const struct linkline *l, const struct moved *moved, const char *line,
                            size_t len) {
  struct record r;
  char *err;
  size_t i = 0;
  if (!record_parse(line, len, &r, &err)) {
    free(err);
    return l->nrecords;
  }
  if (moved)
    follow(moved, &r);
  while (i < l->nrecords && !is_same(&l->records[i], &r))
    i++;
  record_free(&r);
  return i;
}

static bool add_record(const char *line, size_t len, const char *member, void *user) {
  struct finder *f = user;
  struct record r;
  char *err;
  if (!record_parse(line, len, &r, &err))
    die(EXIT_FAILED, "%s%s%s%s: the stub's record is damaged: %s; build the object again", f->file,
        member ? "(" : "", member ? member : "", member ? ")" : "", err);
  if (r.kind != RECORD_BLOB && r.kind != RECORD_DISPATCHER && r.kind != RECORD_FRAGMENT &&
      r.kind != RECORD_UNIT)
    die(EXIT_FAILED,
        "%s: the stub's record is of kind '%s'; expected 'blob', 'dispatcher', 'fragment' or 'unit'", f->file,
        record_kind_name(r.kind));
  f->found++;
  if (f->moved)
    follow(f->moved, &r);
  leave_home(f->l->home, &r.args);
  record_scan(&r);
  /* The same object twice, by name and in an archive. Only archives and partial links can hold it twice:
   * objects of a plain command are distinct, and comparing thousands with each other would be quadratic. */
  if (member && is_known(f->l, &r)) {
    record_free(&r);
    return true;
  }
  vec_push(f->l->records, f->l->nrecords, r);
  argv_add(&f->l->files, f->file);
  argv_add(&f->l->members, member ? member : "");
  return true;
}

bool linkline_only_records(const char *path) {
  size_t len;
  char *bytes = file_read(path, &len);
  struct elf e;
  bool only = bytes && elf_open(&e, bytes, len, NULL);
  struct elf_section s;
  for (size_t i = 1; only && i < e.sections; i++)
    only = elf_section(&e, i, &s) && (!(s.flags & SHF_ALLOC) || !s.size || strcmp(s.name, STUB_GUARD) == 0);
  free(bytes);
  return only;
}

static bool look_into(const char *path, const struct cc_input *in, void *user) {
  struct finder *f = user;
  char *err;
  f->file = path;
  f->found = 0;
  if (!stub_records_file(path, add_record, f, &err)) {
    free(err); /* not ours: the linker will say what is wrong with it */
    return true;
  }
  bool archive = str_ends(path, ".a") || in->kind == CC_IN_LIBRARY, replaced = false;
  if (in->kind == CC_IN_FILE && strcmp(f->l->args.args[in->arg], path) == 0) {
    /* One that holds code as well stays in the link; SHF_EXCLUDE keeps its records out of the output. */
    replaced = f->l->is_stub[in->arg] = f->found && !archive && linkline_only_records(path);
    f->l->is_object[in->arg] = !archive && (str_ends(path, ".o") || str_ends(path, ".obj") || f->found);
  }
  f->l->stubs_stay |= f->found && !replaced;
  return true;
}

/* WORD may name another file than it seems to: `k\1.o`, a form feed or a mark of UTF-8 before k.o. */
static void look_into_unclear(struct finder *f, const char *word) {
  struct buf name = {0};
  buf_puts(&name, "");
  for (const char *p = word; *p; p++)
    if (!strchr("\\\"\f\xef\xbb\xbf", *p))
      buf_putc(&name, *p);
  if (strcmp(name.data, word) != 0 && file_is_regular(name.data))
    look_into(name.data, &(struct cc_input){.kind = CC_IN_LIBRARY}, f);
  buf_free(&name);
}

static void find_output(struct linkline *l) {
  char *name = ccargs_output(&l->scan);
  l->output = path_abs_in(l->cwd, name);
  free(name);
}

void linkline_read(struct linkline *l, const struct home *home, const char *compiler,
                   const struct compiler *kind, char *const *args, const struct moved *moved) {
  *l = (struct linkline){.home = home, .compiler = xstrdup(compiler), .kind = kind};
  l->cwd = getcwd(NULL, 0);
  if (!l->cwd)
    die(EXIT_FAILED, "cannot tell the current directory: %s", strerror(errno));
  l->unclear = !ccargs_expand(&l->args, kind->dialect, l->cwd, args);
  argv_add_all(&l->given, args);
  leave_home(home, &l->given);
  leave_home(home, &l->args);
  l->is_stub = xcalloc(l->args.n, sizeof *l->is_stub);
  l->is_object = xcalloc(l->args.n, sizeof *l->is_object);
  ccargs_scan(&l->scan, kind->dialect, l->args.args);
  find_output(l);
  struct finder f = {.l = l, .moved = moved};
  ccargs_link_files(&l->scan, look_into, &f);
  for (size_t i = 0; i < l->args.n && l->unclear; i++)
    look_into_unclear(&f, l->args.args[i]);
}

/* ---- writing ---- */

/* Append word W, files and directories in it absolute: the command is run again from elsewhere (a relink).
 * What only looks like a file, such as the value of -e, stays. */
static void add_word(const struct linkline *l, const struct cc_word *w, struct argv *out) {
  const char *word = l->args.args[w->arg];
  bool path = w->role == CC_ROLE_PATH && *w->value && *w->value != '=';
  path &= l->scan.dialect != CC_NVCC || !strpbrk(w->value, ",\"\\"); /* a list of several */
  path |= w->role == CC_ROLE_FILE && word[0] != '-' && file_exists(word);
  char *value = path ? path_abs_in(l->cwd, w->value) : xstrdup(w->value);
  if (w->pair)
    argv_add(out, word);
  argv_addf(out, "%.*s%s", w->pair ? 0 : (int)(strlen(word) - strlen(w->value)), word, value);
  free(value);
}

void linkline_write(const struct linkline *l, const char *output, struct argv *out, struct argv *objs) {
  bool placed = false;
  const struct ccargs *a = &l->scan;
  argv_add(out, l->compiler);
  for (size_t k = 0; k < a->nwords; k++) {
    size_t i = a->words[k].arg;
    if (a->words[k].role == CC_ROLE_OUTPUT) {
      if (a->words[k].value == a->output) {
        argv_add(out, "-o");
        argv_add(out, output);
      }
      continue;
    }
    if (!l->is_object[i] && !l->is_stub[i]) {
      add_word(l, &a->words[k], out);
      continue;
    }
    if (!placed)
      argv_add(out, STATE_OBJS);
    placed = true;
    if (!l->is_stub[i])
      argv_add_own(objs, path_abs_in(l->cwd, l->args.args[i]));
  }
  if (!a->output) {
    argv_add(out, "-o");
    argv_add(out, output);
  }
  if (!placed) /* all stubs are in archives */
    argv_add(out, STATE_OBJS);
}

void linkline_free(struct linkline *l) {
  for (size_t i = 0; i < l->nrecords; i++)
    record_free(&l->records[i]);
  free(l->records);
  argv_free(&l->files);
  argv_free(&l->members);
  argv_free(&l->given);
  free(l->cwd);
  free(l->compiler);
  free(l->output);
  free(l->is_stub);
  free(l->is_object);
  ccargs_free(&l->scan);
  argv_free(&l->args);
}
