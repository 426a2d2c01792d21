/* deps.c - see deps.h.
 *
 * The scan is a work list of files, each read once. A set of the directives resolved so far makes the
 * thousandth `#include <vector>` free of system calls. Everything the result depends on is collected in one
 * struct deps, which the include cache (depcache.h) can store. Conditionals are not evaluated, so the list is
 * a superset of the compiler's. What no condition leads to is followed first, so that the rest is known: of those
 * files the compiler may have to say which it reads (narrow).
 */
#include "deps.h"
#include "depcache.h"
#include "core/base/directives.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the scan ---- */

struct file {
  const char *path;
  bool system;
  bool maybe;   /* only conditions lead to it */
  bool dropped; /* the compiler does not read it */
  bool data;    /* of #embed: no text */
};

/* a macro that stands for the name of a header: `#define LIB_NAME "lib.hpp"`, as Boost and mbed TLS have them */
struct macro {
  char *name, *header;
  enum include how;
};

/* an #include to be followed when all that no condition leads to is */
struct later {
  char *header;
  size_t file;
  enum include how;
};

/* `#include LIB_NAME` in a file */
struct by_macro {
  char *name;
  size_t file;
};

struct walk {
  const struct ccargs *args;
  const char *cwd;    /* base of relative names; NULL: the current directory */
  struct file *files; /* [0] is the source; grows during the walk; `seen` and the caller own the names */
  size_t nfiles;
  struct intern looked_up; /* directives resolved so far */
  struct intern found;     /* device and inode of the files found so far */
  struct buf key;          /* scratch: a key for looked_up */
  struct deps seen;        /* every name looked up */
  struct macro *macros;    /* all that were seen, whatever came first */
  struct by_macro *by_macro;
  size_t nmacros, nby_macro;
  bool maybe; /* what is found now, only conditions lead to */
  struct later *later;
  size_t nlater;
};

/* `-I.` finds ./x.h; compilers print x.h, and the build's own rules use that name */
static const char *without_dot(const char *path) {
  while (path[0] == '.' && path[1] == '/' && path[2]) {
    path += 2;
    while (*path == '/')
      path++;
  }
  return path;
}

static void add_file(struct walk *w, const char *path, bool system) {
  vec_push(w->files, w->nfiles,
           (struct file){.path = without_dot(path), .system = system, .maybe = w->maybe});
}

/* Is this the first file with its device and inode? */
static bool is_new_file(struct walk *w, const struct stat *st) {
  const uint64_t id[] = {st->st_dev, st->st_ino};
  size_t known = w->found.texts.n;
  return intern_bytes(&w->found, id, sizeof id) == known;
}

/* PATH resolved against cwd; free() it if it differs from PATH */
static const char *place_of(const struct walk *w, const char *path) {
  return w->cwd && path[0] != '/' ? path_join(w->cwd, path) : path;
}

/* Add PATH to the list if it exists and is new; true if it exists. */
static bool found(struct walk *w, const char *path, bool system) {
  struct stat st;
  const char *place = place_of(w, path);
  bool there = stat(place, &st) == 0 && S_ISREG(st.st_mode);
  if (place != path)
    free((char *)place);
  bool listed = there && is_new_file(w, &st);
  deps_add(&w->seen, path, there ? &st : NULL, system, listed);
  w->seen.list[w->seen.n - 1].maybe = w->maybe;
  if (listed)
    add_file(w, w->seen.list[w->seen.n - 1].path, system);
  return there;
}

/* Look for NAME in the directories of one kind. For #include_next every hit counts, since the includer decides
 * which one is meant. */
static bool in_dirs(struct walk *w, enum cc_dir_kind kind, const char *name, enum include how) {
  bool any = false;
  for (size_t i = 0; i < w->args->ndirs; i++) {
    const struct cc_dir *d = &w->args->dirs[i];
    if (d->kind != kind)
      continue;
    autofree char *path = path_join(d->dir, name);
    any = found(w, path, kind == CC_DIR_SYSTEM || kind == CC_DIR_AFTER) || any;
    if (any && how != NEXT)
      return true;
  }
  return any;
}

/* Resolve NAME as included by the file FROM (index into files, or SIZE_MAX for the command line). */
static void find_name(struct walk *w, size_t from, const char *name, enum include how) {
  const char *path = from == SIZE_MAX ? "" : w->files[from].path;
  bool system = from != SIZE_MAX && w->files[from].system;
  size_t dir = (size_t)(path_base(path) - path);
  bool local = (how == QUOTED || how == EMBED) && name[0] != '/';
  w->key.len = 0;
  buf_putc(&w->key, "\"<+e>"[how]);
  buf_add(&w->key, path, local ? dir : 0);
  buf_puts(&w->key, name);
  if (!intern_new(&w->looked_up, w->key.data))
    return;
  if (name[0] == '/') {
    found(w, name, system);
    return;
  }
  if (local) {
    autofree char *beside = xasprintf("%.*s%s", (int)dir, path, name);
    bool there = found(w, beside, system);
    if (there)
      return;
  }
  if (how == EMBED || how == EMBED_ANGLED) {
    in_dirs(w, CC_DIR_EMBED, name, how);
    return;
  }
  static const enum cc_dir_kind order[] = {CC_DIR_QUOTE, CC_DIR_USER, CC_DIR_SYSTEM, CC_DIR_AFTER};
  for (size_t i = how == ANGLED ? 1 : 0; i < sizeof order / sizeof order[0]; i++)
    if (in_dirs(w, order[i], name, how) && how != NEXT)
      return;
}

static void look_up(struct walk *w, size_t from, const char *name, enum include how) {
  size_t before = w->nfiles;
  find_name(w, from, name, how);
  for (size_t i = before; i < w->nfiles && how >= EMBED; i++)
    w->files[i].data = true;
}

/* The same of an include that is not for sure. Takes HEADER over. */
static void look_up_later(struct walk *w, size_t from, char *header, enum include how) {
  if (!w->maybe) {
    vec_push(w->later, w->nlater, (struct later){header, from, how});
    return;
  }
  look_up(w, from, header, how);
  free(header);
}

struct scanned {
  struct walk *w;
  size_t file; /* index into files */
};

/* NAME stands for HEADER: so it does wherever it is included. */
static void add_macro(struct walk *w, char *name, char *header, enum include how) {
  vec_push(w->macros, w->nmacros, (struct macro){name, header, how});
  for (size_t i = 0; i < w->nby_macro; i++)
    if (strcmp(w->by_macro[i].name, name) == 0)
      look_up_later(w, w->by_macro[i].file, xstrdup(header), how);
}

/* FILE includes NAME: all that it stands for anywhere, as conditionals are not evaluated. */
static void add_by_macro(struct walk *w, char *name, size_t file) {
  vec_push(w->by_macro, w->nby_macro, (struct by_macro){name, file});
  for (size_t i = 0; i < w->nmacros; i++)
    if (strcmp(w->macros[i].name, name) == 0)
      look_up_later(w, file, xstrdup(w->macros[i].header), w->macros[i].how);
}

static char *text_of(const struct span *s) {
  return s->n ? xstrndup(s->p, s->n) : NULL;
}

static void look_up_directive(void *user, const struct directive *d) {
  const struct scanned *s = user;
  char *macro = text_of(&d->macro), *header = text_of(&d->header);
  if (macro && header) {
    add_macro(s->w, macro, header, d->how);
    return;
  }
  if (macro)
    add_by_macro(s->w, macro, s->file);
  else if (!d->sure)
    look_up_later(s->w, s->file, header, d->how);
  else
    look_up(s->w, s->file, header, d->how);
  if (!macro && d->sure)
    free(header);
}

/* -DLIB_NAME='"lib.hpp"' */
static void add_defined(struct walk *w) {
  for (size_t i = 0; i < w->args->nwords; i++) {
    const struct cc_word *word = &w->args->words[i];
    const char *value = word->role == CC_ROLE_MACRO ? strchr(word->value, '=') : NULL;
    enum include how;
    struct span header = value ? span_header(value + 1, value + strlen(value), &how) : (struct span){NULL, 0};
    if (header.n)
      add_macro(w, xstrndup(word->value, (size_t)(value - word->value)), text_of(&header), how);
  }
}

/* All that no condition leads to is found: now the rest. False: there is none. */
static bool turn_to_the_rest(struct walk *w) {
  if (w->maybe || !w->nlater)
    return false;
  w->maybe = true;
  for (size_t i = 0; i < w->nlater; i++)
    look_up_later(w, w->later[i].file, w->later[i].header, w->later[i].how);
  free(w->later);
  return true;
}

/* Follow the source's directives, and those of the files they include. */
static void scan(struct walk *w, const char *text, size_t len) {
  add_defined(w);
  for (size_t i = 0; i < w->args->nforced; i++)
    look_up(w, SIZE_MAX, w->args->forced[i], QUOTED);
  directives_scan(text, len, look_up_directive, &(struct scanned){w, 0});
  for (size_t i = 1; i < w->nfiles || (turn_to_the_rest(w) && i < w->nfiles); i++) {
    if (w->files[i].data || (w->files[i].system && !w->args->deps.system))
      continue;
    size_t n;
    const char *place = place_of(w, w->files[i].path);
    autofree char *content = file_read_text(place, &n);
    if (place != w->files[i].path)
      free((char *)place);
    if (content)
      directives_scan(content, n, look_up_directive, &(struct scanned){w, i});
  }
}

/* ---- the same from the cache ---- */

static void put_item(struct buf *key, char kind, const char *text, size_t n) {
  buf_printf(key, "%c%zu:", kind, n); /* length-prefixed, so that the encoding is unambiguous */
  buf_add(key, text, n);
}

static void put_directive(void *user, const struct directive *d) {
  if (!d->sure)
    put_item(user, '?', "", 0);
  if (d->macro.n)
    put_item(user, 'm', d->macro.p, d->macro.n);
  if (d->header.n)
    put_item(user, "\"<+e>"[d->how], d -> header.p, d->header.n);
}

/* Everything a scan's result depends on except the file system: of the source, only its directory and its
 * directives. */
static void make_key(struct buf *key, const struct walk *w, const char *text, size_t len) {
  const struct ccargs *a = w->args;
  const char *source = w->files[0].path;
  autofree char *cwd = w->cwd ? xstrdup(w->cwd) : getcwd(NULL, 0);
  put_item(key, 'w', cwd ? cwd : "", cwd ? strlen(cwd) : 0);
  put_item(key, a->deps.system ? 'S' : 'U', source, (size_t)(path_base(source) - source));
  for (size_t i = 0; i < a->ndirs; i++)
    put_item(key, "qIsae"[a->dirs[i].kind], a -> dirs[i].dir, strlen(a->dirs[i].dir));
  for (size_t i = 0; i < a->nforced; i++)
    put_item(key, 'f', a->forced[i], strlen(a->forced[i]));
  for (size_t i = 0; i < a->nwords; i++)
    if (a->words[i].role == CC_ROLE_MACRO && strpbrk(a->words[i].value, "\"<"))
      put_item(key, 'D', a->words[i].value, strlen(a->words[i].value));
  directives_scan(text, len, put_directive, key);
  buf_putc(key, '\n');
}

static void walk(struct walk *w, const char *text, size_t len, const char *cache) {
  add_file(w, w->args->source->text, false);
  if (!cache) {
    scan(w, text, len);
    return;
  }
  autofree_buf key = {0};
  make_key(&key, w, text, len);
  enum depcache answer = depcache_read(cache, &key, &w->seen);
  for (size_t i = 0; answer == DEPCACHE_HIT && i < w->seen.n; i++) {
    w->maybe = w->seen.list[i].maybe;
    add_file(w, w->seen.list[i].path, w->seen.list[i].system);
  }
  if (answer != DEPCACHE_HIT)
    scan(w, text, len);
  if (answer == DEPCACHE_MISS)
    depcache_write(cache, &key, &w->seen);
}

/* ---- what the compiler says ---- */

bool deps_is_installed(const char *file) {
  return (path_within(file, "/usr") && !path_within(file, "/usr/src")) || path_within(file, "/opt") ||
         strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

/* Does the compiler have to say whether F is read? The headers of a package are not written by this
 * build: PyTorch's are behind -I, and each unit would ask about them. */
static bool is_open(const struct file *f) {
  return f->maybe && !f->system && !deps_is_installed(f->path);
}

/* What the compiler's answer depends on besides the content of files: who is asked, the source's
 * directives, which files there are. */
static void make_question(struct buf *key, const struct walk *w, const char *identity, const char *text,
                          size_t len) {
  make_key(key, w, text, len);
  buf_puts(key, identity);
  const char *end = text + len;
  for (const char *p = text; p < end && (p = memchr(p, '#', (size_t)(end - p)));) {
    const char *eol = p;
    do
      eol = memchr(eol + 1, '\n', (size_t)(end - eol - 1));
    while (eol && eol[-1] == '\\');
    eol = eol ? eol : end;
    put_item(key, '#', p, (size_t)(eol - p));
    p = eol;
  }
  for (size_t i = 1; i < w->nfiles; i++)
    put_item(key, is_open(&w->files[i]) ? 'm' : 'u', w->files[i].path, strlen(w->files[i].path));
  buf_putc(key, '\n');
}

/* Drop the open files that are not among KEPT, paths as they are in W. */
static void keep_only(struct walk *w, const struct deps *kept) {
  for (size_t i = 1; i < w->nfiles; i++) {
    bool keep = !is_open(&w->files[i]);
    for (size_t k = 0; k < kept->n && !keep; k++)
      keep = kept->list[k].listed && strcmp(without_dot(kept->list[k].path), w->files[i].path) == 0;
    w->files[i].dropped = !keep;
  }
}

/* Fill D: of the open files those that are among READ, which the compiler reads, are listed. All
 * others of either count for the answer. False: one of them cannot be looked at. */
static bool answer_of(struct deps *d, const struct walk *w, const struct argv *read) {
  autofree_intern known = {0};
  struct stat st;
  bool good = true;
  for (size_t i = 0; i < read->n && good; i++) {
    good = stat(read->args[i], &st) == 0;
    const uint64_t id[] = {st.st_dev, st.st_ino};
    if (good) {
      intern_bytes(&known, id, sizeof id);
      deps_add(d, read->args[i], &st, false, false);
    }
  }
  for (size_t i = 1; i < w->nfiles && good; i++) {
    good = stat(w->files[i].path, &st) == 0;
    const uint64_t id[] = {st.st_dev, st.st_ino};
    bool listed = good && is_open(&w->files[i]) && intern_find_bytes(&known, id, sizeof id) != SIZE_MAX;
    if (good)
      deps_add(d, w->files[i].path, &st, false, listed);
  }
  return good;
}

/* Does the build.ninja of the current directory say that nothing writes an open file? It names each
 * file that the build writes. Not asked of a build of several such files, or of a large one. */
static bool is_none_built(const struct walk *w) {
  enum { MAX_LOOK = 256 << 20 }; /* bytes that are looked through, in 0.1 s */
  size_t len, left = MAX_LOOK;
  autofree char *text = file_read("build.ninja", &len);
  bool none = text && !memmem(text, len, "subninja", strlen("subninja")) &&
              !memmem(text, len, "dyndep", strlen("dyndep"));
  for (size_t i = 1; i < w->nfiles && none; i++) {
    const char *base = path_base(w->files[i].path);
    if (!is_open(&w->files[i]))
      continue;
    none = left >= len && !memmem(text, len, base, strlen(base));
    left -= none ? len : 0;
  }
  return none;
}

/* Drop what the compiler does not read. If it does not say, all stays. */
static void narrow(struct walk *w, const char *text, size_t len, const char *cache,
                   const struct deps_asker *asker) {
  bool any = false;
  for (size_t i = 1; i < w->nfiles; i++)
    any |= is_open(&w->files[i]);
  if (!any)
    return;
  autofree_buf key = {0};
  struct deps kept = {0};
  autofree_argv read = {0};
  make_question(&key, w, asker->identity, text, len);
  if (depcache_read(cache, &key, &kept) == DEPCACHE_HIT) {
    keep_only(w, &kept);
  } else if (!is_none_built(w) && asker->ask(asker->user, &read) && answer_of(&kept, w, &read)) {
    keep_only(w, &kept);
    depcache_write(cache, &key, &kept);
  }
  deps_free(&kept);
}

/* ---- the rule ---- */

static void put_targets(struct buf *out, const struct ccargs *a) {
  const struct cc_deps *d = &a->deps;
  for (size_t i = 0; i < d->ntargets; i++) {
    if (i)
      buf_putc(out, ' ');
    if (d->targets[i].quote)
      deps_put_name(out, d->targets[i].text);
    else
      buf_puts(out, d->targets[i].text);
  }
  if (d->ntargets)
    return;
  autofree char *output = ccargs_output(a);
  deps_put_name(out, output);
}

/* List a source that includes itself once. A depfile cannot express a name with a newline; compilers write it
 * anyway and break the build. */
static bool listed(const struct walk *w, size_t i) {
  const struct file *f = &w->files[i];
  if (f->dropped)
    return false;
  if (i && strcmp(f->path, w->files[0].path) == 0)
    return false;
  return (!f->system || w->args->deps.system) && !strchr(f->path, '\n');
}

static void walk_free(struct walk *w) {
  free(w->files);
  intern_free(&w->looked_up);
  intern_free(&w->found);
  buf_free(&w->key);
  deps_free(&w->seen);
  for (size_t i = 0; i < w->nmacros; i++) {
    free(w->macros[i].name);
    free(w->macros[i].header);
  }
  for (size_t i = 0; i < w->nby_macro; i++)
    free(w->by_macro[i].name);
  free(w->macros);
  free(w->by_macro);
}

static void list(struct argv *files, const struct ccargs *a, const char *cwd, const char *text, size_t len,
                 const char *cache, const struct deps_asker *asker) {
  struct walk w = {.args = a, .cwd = cwd};
  walk(&w, text, len, cache);
  if (asker)
    narrow(&w, text, len, cache, asker);
  for (size_t i = 0; i < w.nfiles; i++)
    if (listed(&w, i))
      argv_add(files, w.files[i].path);
  walk_free(&w);
}

void deps_format(struct buf *out, const struct ccargs *a, const char *cwd, const char *text, size_t len,
                 const char *cache, const struct deps_asker *asker) {
  autofree_argv files = {0};
  list(&files, a, cwd, text, len, cache, asker);
  put_targets(out, a);
  deps_put_files(out, &files, a->deps.phony ? 1 : files.n);
}

void deps_list(struct argv *files, const struct ccargs *a, const char *cwd, const char *text, size_t len,
               const char *cache) {
  list(files, a, cwd, text, len, cache, NULL);
}

bool deps_write(const struct ccargs *a, const char *text, size_t len, const char *cache,
                const struct deps_asker *asker) {
  autofree_buf out = {0};
  deps_format(&out, a, NULL, text, len, cache, asker);
  autofree char *file = ccargs_depfile(a);
  return file_overwrite(file, out.data, out.len, 0666);
}
