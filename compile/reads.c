/* reads.c - is what a compile read in its list of inputs?
 *
 * Compilers print names as they found them,
 * /usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/cmath, and the list has them without
 * the dots. Nearly all are found by that. The others are looked for by the file they are; and by
 * content, for a toolchain that was copied elsewhere: then the listed file of the same name and
 * content was not read.
 */
#include "reads.h"
#include "inputs.h"
#include "learnt.h"
#include "seen.h"
#include "core/base/path.h"
#include "core/cache/key.h"

#include <sys/stat.h>
#include <unistd.h>

/* a header of the list */
struct listed {
  char *path; /* {root} expanded */
  const char *digest;
  bool read;
};

struct reads {
  const struct compile_task *t;
  struct listed *list; /* by path */
  size_t n;
  /* read, and not in the list by its name; absolute */
  struct argv others;
  /* the directory of precompiled headers */
  char *pchs;
};

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct listed *)a)->path, ((const struct listed *)b)->path);
}

static void read_list(struct reads *r) {
  const struct inputs *in = r->t->inputs;
  r->list = xcalloc(in->nheaders + 1, sizeof *r->list);
  for (size_t i = 0; i < in->nheaders; i++)
    if (strcmp(in->header[i].digest, DIGEST_NONE) != 0)
      r->list[r->n++] = (struct listed){task_expand(r->t, in->header[i].path), in->header[i].digest, false};
  qsort(r->list, r->n, sizeof *r->list, by_path);
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Returns the absolute name of the file that the compiler calls NAME; free() it. After a symbolic
 * link, ".." is not the directory above in the name. */
static char *absolute(const char *name) {
  char *path = path_abs(name);
  char *real = strstr(name, "/../") && !is_same_file(name, path) ? realpath(name, NULL) : NULL;
  if (real) {
    free(path);
    path = real;
  }
  return path;
}

/* The source, and what we made for this compile: precompiled headers, an empty source. */
static bool is_ours(const struct reads *r, const char *path) {
  const struct compile_task *t = r->t;
  return strcmp(path, t->source) == 0 || path_within(path, t->temporary) || path_within(path, r->pchs) ||
         !file_is_regular(path);
}

/* Look for all that was read by name. */
static void find_names(struct reads *r) {
  struct argv *reads = &r->t->seen->reads;
  argv_unique(reads); /* each pass reads most of them */
  for (size_t i = 0; i < reads->n; i++) {
    struct listed want = {.path = absolute(reads->args[i])};
    struct listed *hit = bsearch(&want, r->list, r->n, sizeof *r->list, by_path);
    if (hit)
      hit->read = true;
    else if (!is_ours(r, want.path))
      argv_add_once(&r->others, xstrdup(want.path));
    free(want.path);
  }
}

/* Is PATH, by another name, the source or a file of the list? */
static bool is_another_name(const struct reads *r, const char *path) {
  const char *base = path_base(path);
  if (is_same_file(path, r->t->source))
    return true;
  for (size_t i = 0; i < r->n; i++)
    if (strcmp(path_base(r->list[i].path), base) == 0 && is_same_file(path, r->list[i].path))
      return r->list[i].read = true;
  return false;
}

/* The listed header of PATH's base name that was not read, and with DIGEST, unless NULL; NULL:
 * there is none. */
static const struct listed *find_unread(const struct reads *r, const char *path, const char *digest) {
  const char *base = path_base(path);
  for (size_t i = 0; i < r->n; i++)
    if (!r->list[i].read && strcmp(path_base(r->list[i].path), base) == 0 &&
        (!digest || strcmp(digest, r->list[i].digest) == 0))
      return &r->list[i];
  return NULL;
}

/* Is PATH one of the compiler's own headers, in a list that need not have all of them? */
static bool is_own(const struct reads *r, const char *path) {
  const struct argv *own = &r->t->inputs->own;
  autofree char *real = own->n ? realpath(path, NULL) : NULL;
  bool is = false;
  for (size_t i = 0; i < own->n && real && !is; i++)
    is = path_within(real, own->args[i]);
  return is;
}

static bool compare_other(const struct reads *r, const char *path, char **err) {
  const struct compile_task *t = r->t;
  char digest[DIGEST_HEX];
  if (is_own(r, path))
    return true;
  digest_file(digest, path);
  if (find_unread(r, path, digest))
    return true;
  const struct listed *instead = path_within(path, t->root) ? find_unread(r, path, NULL) : NULL;
  if (instead)
    return task_fail(
        t, err,
        "discarded: %s is found instead of %s, which the library was linked with; remove it, or link the library again",
        path, instead->path);
  if (t->verbose)
    note("%s: %s is read, but the library was not linked with it", t->stem, path);
  argv_add_once(&t->seen->files, learnt_line("header", digest, path));
  return true;
}

bool reads_compare(const struct compile_task *t, char **err) {
  struct reads r = {.t = t, .pchs = path_join(t->dir, CKJIT_PCH)};
  bool good = true;
  read_list(&r);
  find_names(&r);
  autofree bool *known = xcalloc(r.others.n + 1, sizeof *known);
  for (size_t i = 0; i < r.others.n; i++)
    known[i] = is_another_name(&r, r.others.args[i]);
  for (size_t i = 0; i < r.others.n && good; i++)
    good = known[i] || compare_other(&r, r.others.args[i], err);
  for (size_t i = 0; i < r.n; i++)
    free(r.list[i].path);
  free(r.list);
  free(r.pchs);
  argv_free(&r.others);
  return good;
}
