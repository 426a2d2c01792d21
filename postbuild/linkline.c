/* linkline.c - the link command of the user's build, read and written again.
 *
 * Reading: core/cc/ccargs.h says which words are files and which files the linker would take for
 * -l; each of them is opened and searched for records (core/files/stubobj.h). The content decides,
 * not the name: builds rename objects, put them into archives, and join them with ld -r. A file
 * that holds records and more, an archive or what ld -r made of stubs and code, is a container: a
 * copy with other parts may take its place (places.c).
 *
 * Writing: the same words in the same order. STATE_OBJS stands where the first object stood, and
 * paths are absolute, because `ckjit quick` and `relink` run the command from another directory.
 * All else that ckjit adds stands before the build's own words, where none of these is in force
 * yet: after `-x hip`, `-b binary` or `--` an object or an option would be something else. hipcc
 * writes `-x hip` before each C++ source and does not end it.
 */
#include "linkline.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/files/state.h"
#include "core/files/stubobj.h"

#include <unistd.h>

/* ---- reading ---- */

/* Returns the real file for HOME/REST; free() it. HOME/bin/ckjit-cxx is in no other home: CMake
 * gives it to nvcc's device link, by -ccbin. */
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
    autofree char *path = real_path(home, at + n);
    char *word = xasprintf("%.*s%s", (int)(at - v->args[i]), v->args[i], path);
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
  size_t word;      /* that names it; SIZE_MAX: none alone does */
  size_t found;     /* in this file */
  bool members;     /* it is an archive */
};

/* The number of the record that was read before of R's object; nrecords: none was. */
static size_t known(const struct linkline *l, const struct record *r) {
  size_t i = 0;
  while (i < l->nrecords && (strcmp(l->records[i].output, r->output) != 0 ||
                             strcmp(record_place(&l->records[i]), record_place(r)) != 0))
    i++;
  return i;
}

/* Are A and B of one object? */
static bool is_same(const struct record *a, const struct record *b) {
  return strcmp(a->output, b->output) == 0 && strcmp(record_place(a), record_place(b)) == 0 &&
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

char *linkline_logged(const char *line, size_t len) {
  static const char unit[] = ",\"kind\":\"unit\"", text[] = ",\"source_text\":";
  struct record r;
  struct buf out = {0};
  char *err;
  while (len && line[len - 1] == '\n')
    len--;
  /* thousands of lines: most of a log are as they are wanted */
  if (!memmem(line, len < 64 ? len : 64, unit, sizeof unit - 1) && !memmem(line, len, text, sizeof text - 1))
    return xstrndup(line, len);
  if (!record_parse(line, len, &r, &err)) {
    free(err);
    return xstrndup(line, len);
  }
  free(r.stub);
  r.stub = NULL;
  r.kernels = 0;
  free(r.source_text);
  r.source_text = NULL;
  record_format(&out, &r);
  out.data[--out.len] = 0;
  record_free(&r);
  return out.data;
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
  /* The same object twice, by name and in an archive. Only archives and partial links can hold it
   * twice: objects of a plain command are distinct, and comparing thousands with each other would
   * be quadratic. */
  size_t k = member ? known(f->l, &r) : f->l->nrecords;
  f->members |= member != NULL;
  if (k < f->l->nrecords) {
    f->l->places[k].contained = true;
    record_free(&r);
    return true;
  }
  size_t nplaces = f->l->nrecords;
  vec_push(f->l->places, nplaces,
           (struct link_place){.named = !member, .contained = member, .word = f->word});
  vec_push(f->l->records, f->l->nrecords, r);
  argv_add_own(&f->l->lines, linkline_logged(line, len));
  argv_add(&f->l->files, f->file);
  argv_add(&f->l->members, member ? member : "");
  return true;
}

bool linkline_is_only_records(const void *bytes, size_t len) {
  struct elf e;
  bool only = elf_open(&e, bytes, len, NULL);
  struct elf_section s;
  for (size_t i = 1; only && i < e.sections; i++)
    only = elf_section(&e, i, &s) && (!(s.flags & SHF_ALLOC) || !s.size || strcmp(s.name, STUB_GUARD) == 0);
  return only;
}

bool linkline_only_records(const char *path) {
  size_t len;
  autofree char *bytes = file_read(path, &len);
  return bytes && linkline_is_only_records(bytes, len);
}

/* PATH, of input IN, is an ARCHIVE that holds records, or an object with those from number FIRST on
 * and with code. */
static void note_container(struct linkline *l, const char *path, const struct cc_input *in, bool archive,
                           size_t first) {
  bool by_name = in->kind == CC_IN_LIBRARY, searched = by_name && !in->script;
  const char *list = in->script ? in->script : in->kind == CC_IN_RESPONSE ? in->text : "";
  for (size_t i = first; i < l->nrecords && !archive; i++)
    l->places[i] = (struct link_place){.contained = true, .word = SIZE_MAX};
  for (size_t i = 0; i < l->ncontainers; i++)
    if (strcmp(l->containers[i].text, path) == 0 && l->containers[i].searched == searched &&
        strcmp(l->containers[i].list, list) == 0)
      return;
  vec_push(l->containers, l->ncontainers,
           (struct container){.archive = archive,
                              .text = xstrdup(path),
                              .searched = searched,
                              .list = xstrdup(list),
                              .script = in->script,
                              .list_searched = in->script && by_name});
}

static bool look_into(const char *path, const struct cc_input *in, void *user) {
  struct finder *f = user;
  char *err;
  f->file = path;
  f->word = in->kind == CC_IN_FILE && !in->script ? in->arg : SIZE_MAX;
  f->found = 0;
  f->members = false;
  size_t first = f->l->nrecords;
  if (!stub_records_file(path, add_record, f, &err)) {
    free(err); /* not ours: the linker will say what is wrong with it */
    return true;
  }
  bool archive = f->members || str_ends(path, ".a") || in->kind == CC_IN_LIBRARY, replaced = false;
  bool word = in->kind == CC_IN_FILE && !in->script, in_lib = word && f->l->in_lib[in->arg];
  bool contained = f->found && (f->members || in_lib || !linkline_only_records(path));
  if (contained)
    note_container(f->l, path, in, f->members, first);
  if (word && !in_lib && !in->to_linker) {
    /* One that holds code as well stays in the link; SHF_EXCLUDE keeps its records out of the
     * output. */
    replaced = f->l->is_stub[in->arg] = f->found && !archive && !contained;
    f->l->is_object[in->arg] = !archive && (str_ends(path, ".o") || str_ends(path, ".obj") || f->found);
  }
  f->l->stubs_stay |= f->found && !replaced;
  return true;
}

/* WORD may name another file than it seems to: `k\1.o`, a form feed or a mark of UTF-8 before
 * k.o. */
static void look_into_unclear(struct finder *f, const char *word) {
  autofree_buf name = {0};
  buf_puts(&name, "");
  for (const char *p = word; *p; p++)
    if (!strchr("\\\"\f\xef\xbb\xbf", *p))
      buf_putc(&name, *p);
  if (strcmp(name.data, word) != 0 && file_is_regular(name.data))
    look_into(name.data, &(struct cc_input){.kind = CC_IN_LIBRARY}, f);
}

/* Between --start-lib and --end-lib an object is linked as a member of an archive is. */
static void find_libs(struct linkline *l) {
  bool in = false;
  for (size_t i = 0; i < l->args.n; i++) {
    in = (in || strstr(l->args.args[i], "-start-lib")) && !strstr(l->args.args[i], "-end-lib");
    l->in_lib[i] = in;
  }
}

static void find_output(struct linkline *l) {
  autofree char *name = ccargs_output(&l->scan);
  l->output = path_abs_in(l->cwd, name);
}

void linkline_read(struct linkline *l, const struct home *home, const char *compiler,
                   const struct compiler *kind, char *const *args, const struct moved *moved) {
  *l = (struct linkline){.home = home, .compiler = xstrdup(compiler), .kind = kind};
  l->cwd = getcwd(NULL, 0);
  if (!l->cwd)
    die(EXIT_FAILED, "cannot read the current directory: %s", strerror(errno));
  l->unclear = !ccargs_expand(&l->args, kind->dialect, l->cwd, args);
  argv_add_all(&l->given, args);
  leave_home(home, &l->given);
  leave_home(home, &l->args);
  l->is_stub = xcalloc(l->args.n, sizeof *l->is_stub);
  l->is_object = xcalloc(l->args.n, sizeof *l->is_object);
  l->in_lib = xcalloc(l->args.n, sizeof *l->in_lib);
  find_libs(l);
  ccargs_scan(&l->scan, kind->dialect, l->args.args);
  find_output(l);
  struct finder f = {.l = l, .moved = moved};
  ccargs_link_files(&l->scan, look_into, &f);
  for (size_t i = 0; i < l->args.n && l->unclear; i++)
    look_into_unclear(&f, l->args.args[i]);
}

void linkline_read_files(struct linkline *l, const struct home *home, const char *compiler,
                         const struct compiler *kind, char *const *args, const struct moved *moved) {
  *l = (struct linkline){.home = home, .compiler = xstrdup(compiler), .kind = kind};
  l->cwd = getcwd(NULL, 0);
  if (!l->cwd)
    die(EXIT_FAILED, "cannot read the current directory: %s", strerror(errno));
  autofree_argv words = {0};
  struct finder f = {.l = l, .moved = moved};
  argv_add_all(&l->given, args);
  argv_expand(&words, "", args);
  for (size_t i = 0; i < words.n; i++)
    if (words.args[i][0] != '-' && file_is_regular(words.args[i]))
      look_into(words.args[i], &(struct cc_input){.kind = CC_IN_LIBRARY}, &f);
  autofree char *name = xasprintf("%s of %s", path_base(compiler), l->nrecords ? l->records[0].stem : "");
  l->output = path_abs_in(l->cwd, name);
}

/* ---- writing ---- */

/* Returns the file to link in place of the one that the N bytes at PIECE name, a piece of a word;
 * NULL: itself. */
static const char *copy_of(const struct linkline *l, const char *piece, size_t n) {
  for (size_t i = 0; i < l->ncontainers; i++) {
    const struct container *a = &l->containers[i];
    bool at = *a->list && !a->script && n && *piece == '@', list = at || (a->script && !a->list_searched);
    const char *name = list ? a->list : a->text;
    if (a->copy && !a->searched && (list || !*a->list) && strlen(name) == n - at &&
        memcmp(name, piece + at, n - at) == 0)
      return list ? a->list_copy : a->copy;
  }
  return NULL;
}

/* Returns TEXT, words for the linker with commas between, with copies of archives in their places;
 * NULL: it names none. Words after --exclude-libs (*NAMES, also for the next text) are not files.
 * free() it. */
static char *with_copies(const struct linkline *l, const char *text, bool *names) {
  struct buf b = {0};
  bool any = false;
  for (const char *p = text;; p++) {
    size_t n = strcspn(p, ","), option = p == text && str_starts(p, "-Xlinker=") ? strlen("-Xlinker=") : 0;
    const char *copy = *names ? NULL : copy_of(l, p + option, n - option);
    if (copy)
      buf_printf(&b, "%.*s%s", (int)(option + (p[option] == '@')), p, copy);
    else
      buf_add(&b, p, n);
    static const char excluded[] = "-exclude-libs";
    const char *last = p + option;
    *names = n - option >= sizeof excluded - 1 &&
             memcmp(p + n - (sizeof excluded - 1), excluded, sizeof excluded - 1) == 0 && *last == '-';
    any |= copy != NULL;
    p += n;
    if (!*p)
      break;
    buf_putc(&b, ',');
  }
  if (!any)
    buf_free(&b);
  return any ? b.data : NULL;
}

/* Appends word W, with absolute names of files and directories: the command is run again from
 * elsewhere (a relink). A word that only looks like a file, such as the value of -e, stays. */
static void add_word(const struct linkline *l, const struct cc_word *w, bool *names, struct argv *out) {
  const char *word = l->args.args[w->arg];
  bool to_linker = strcmp(word, "-Xlinker") == 0;
  bool before = *names;
  char *exchanged = with_copies(l, w->pair ? w->value : word, names);
  if (w->pair && !to_linker) /* the value of another option */
    *names = before;
  if (exchanged) {
    if (w->pair)
      argv_add(out, word);
    argv_add_own(out, exchanged);
    return;
  }
  bool path = w->role == CC_ROLE_PATH && *w->value && *w->value != '=';
  path &= !strpbrk(w->value, cc_list_characters(l->scan.dialect));
  path |= w->role == CC_ROLE_FILE && word[0] != '-' && file_exists(word);
  autofree char *value = path ? path_abs_in(l->cwd, w->value) : xstrdup(w->value);
  if (w->pair)
    argv_add(out, word);
  argv_addf(out, "%.*s%s", w->pair ? 0 : (int)(strlen(word) - strlen(w->value)), word, value);
}

/* Does the word of some object stand in the command by itself? */
static bool has_objects(const struct linkline *l) {
  for (size_t i = 0; i < l->args.n; i++)
    if (l->is_object[i] || l->is_stub[i])
      return true;
  return false;
}

/* Append to OBJS what stands for the next records, from number *NEXT on, if they are in the object of word I. The records
 * are in the order of the words. */
static void add_stand_ins(const struct linkline *l, size_t i, char *const *stand_ins, size_t *next,
                          struct argv *objs) {
  while (*next < l->nrecords && (l->places[*next].word == SIZE_MAX || l->places[*next].word <= i)) {
    size_t k = (*next)++;
    if (l->places[k].named && stand_ins[k])
      argv_add(objs, stand_ins[k]);
  }
}

void linkline_write(const struct linkline *l, const char *output, char *const *stand_ins, struct argv *out,
                    struct argv *objs) {
  const struct ccargs *a = &l->scan;
  size_t next = 0;
  bool placed = !has_objects(l), names = false;
  if (l->searched)
    argv_addf(out, "-L%s", l->searched);
  if (!a->output) {
    argv_add(out, "-o");
    argv_add(out, output);
  }
  if (placed) /* nvcc's -x is for all files of its line */
    argv_add(out, cc_language_is_of_all(a->dialect) ? STATE_OBJS_NVCC : STATE_OBJS);
  for (size_t k = 0; k < a->nwords; k++) {
    size_t i = a->words[k].arg;
    if (a->words[k].role == CC_ROLE_RUN)
      continue;
    if (a->words[k].role == CC_ROLE_OUTPUT) {
      if (a->words[k].value == a->output) {
        argv_add(out, "-o");
        argv_add(out, output);
      }
      continue;
    }
    if (!l->is_object[i] && !l->is_stub[i]) {
      add_word(l, &a->words[k], &names, out);
      continue;
    }
    if (!placed)
      argv_add(out, STATE_OBJS);
    placed = true;
    const char *copy = copy_of(l, l->args.args[i], strlen(l->args.args[i]));
    if (!l->is_stub[i])
      argv_add_own(objs, path_abs_in(l->cwd, copy ? copy : l->args.args[i]));
    add_stand_ins(l, i, stand_ins, &next, objs);
  }
  add_stand_ins(l, SIZE_MAX, stand_ins, &next, objs);
}

char *linkline_output(const struct linkline *l) {
  return ccargs_output(&l->scan);
}

void linkline_step(const struct linkline *l, struct argv *out) {
  for (size_t k = 0; k < l->scan.nwords; k++) {
    const struct cc_word *w = &l->scan.words[k];
    for (size_t i = w->arg; i <= w->arg + w->pair && w->role != CC_ROLE_RUN; i++)
      argv_add(out, l->args.args[i]);
  }
}

void linkline_run(const struct linkline *l, struct argv *out) {
  bool runs = false;
  for (size_t k = 0; k < l->scan.nwords; k++) {
    const struct cc_word *w = &l->scan.words[k];
    if (w->role != CC_ROLE_RUN)
      continue;
    runs |= !*w->value; /* -run itself has none */
    if (!out->n)
      argv_add(out, l->compiler);
    argv_add(out, l->args.args[w->arg]);
    if (w->pair)
      argv_add(out, w->value);
  }
  if (runs)
    argv_add(out, l->output);
  else
    argv_free(out);
}

void linkline_free(struct linkline *l) {
  for (size_t i = 0; i < l->nrecords; i++)
    record_free(&l->records[i]);
  free(l->records);
  argv_free(&l->lines);
  for (size_t i = 0; i < l->ncontainers; i++) {
    free(l->containers[i].text);
    free(l->containers[i].list);
    free(l->containers[i].copy);
    free(l->containers[i].list_copy);
  }
  free(l->containers);
  free(l->places);
  free(l->searched);
  argv_free(&l->files);
  argv_free(&l->members);
  argv_free(&l->given);
  free(l->cwd);
  free(l->compiler);
  free(l->output);
  free(l->is_stub);
  free(l->is_object);
  free(l->in_lib);
  ccargs_free(&l->scan);
  argv_free(&l->args);
}
