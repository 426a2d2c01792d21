/* where.c - finds the library of a command.
 *
 * A command needs the library's manifest. The user may name it; otherwise it is searched for in the
 * places below, in order. The first place that has a manifest decides. If a place has several, the
 * user has to name one: a guess could compile, or remove, the kernels of another library.
 *
 *     a library named on the command line    its file or the cache's record names its manifest
 *     CK_JIT_MANIFEST
 *     --root or CK_JIT_ROOT                  the manifest in that directory
 *     beside this program                    as in the ck_jit/ of an install, or one level up
 *     the cache                              libraries whose calls, or `ckjit build`, have compiled
 *                                            into it
 *     the last build                         of the fake home that is set up in this shell, else of
 *                                            one that `ckjit home` or `ckjit run` has made without
 *                                            --dir
 *
 * The last two were written down earlier, so it is checked that no other user could have put the
 * present files there. */
#include "where.h"
#include "entryfile.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/cache/used.h"
#include "core/files/buildplaces.h"
#include "core/files/home.h"
#include "core/files/sourcebundle.h"
#include "abi/ck_jit_bundle.h"

#include <dirent.h>

struct looking {
  const struct request *r;
  bool tells; /* report a guess */
  /* manifests of the current place, each once */
  struct argv found;
  struct buf looked_at; /* a line for each place without one */
  char *bundle;         /* the file whose bundle has the manifest; NULL: none has */
};

static void none_in(struct looking *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void none_in(struct looking *l, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  autofree char *line = xvasprintf(fmt, args);
  va_end(args);
  buf_printf(&l->looked_at, "\n  %s", line);
}

/* Add FILE if it exists. Two names of one file are one manifest. */
static bool add_file(struct looking *l, const char *file) {
  autofree char *real = realpath(file, NULL);
  bool there = real && file_is_regular(real);
  for (size_t i = 0; there && i < l->found.n; i++) {
    autofree char *other = realpath(l->found.args[i], NULL);
    if (other && strcmp(other, real) == 0)
      there = false;
  }
  if (there)
    argv_add(&l->found, file);
  return l->found.n;
}

/* Add the manifest in DIR if there is one. */
static bool add_in(struct looking *l, const char *dir) {
  autofree char *file = path_abs_in(dir, MANIFEST_NAME);
  return add_file(l, file);
}

/* Add FILE, a name that was written down earlier, if it exists and is trusted. */
static void add_written(struct looking *l, const char *file) {
  autofree char *why = file_exists(file) ? trust_why(file) : NULL;
  if (why)
    none_in(l, "%s is not used: another user could have put it there", file);
  else
    add_file(l, file);
}

/* ---- a library on the command line ---- */

bool where_is_library(const char *file) {
  struct entry_file f;
  struct elf_section s;
  if (!file_is_regular(file))
    return false;
  autofree char *real = realpath(file, NULL);
  bool is_elf = real && entry_open(&f, real), is = is_elf && entry_section(&f, ".note.ckjit", &s);
  if (is_elf)
    entry_close(&f);
  return is;
}

/* An installed library has no names of its build. */
static void add_of_build(struct looking *l, const char *library) {
  autofree char *dir = NULL;
  if (!build_places_directory(library, &dir) || !dir)
    return;
  autofree char *file = path_join(dir, MANIFEST_NAME);
  add_written(l, file);
}

/* The manifest of a library that was given away is in its bundle, which is unpacked into the cache
 * as by a first call. */
static void add_of_bundle(struct looking *l, const char *real) {
  autofree char *file = sourcebundle_of(real), *why = file ? trust_why(file) : NULL;
  const char *cache = l->r->cache;
  size_t written;
  char *err = NULL;
  if (!file || !cache)
    return;
  if (why) {
    none_in(l, "%s is not used: another user could have put it there", file);
    return;
  }
  struct sourcebundle *b = sourcebundle_open(file, &err);
  autofree char *root = b ? xasprintf("%s/" CKJIT_BUNDLES "/%s", cache, b->digest) : NULL;
  const char *untrusted = file_is_dir(cache) ? ckjit_cache_check(cache) : NULL;
  if (untrusted)
    die(EXIT_FAILED, "%s: the cache directory %s %s", l->r->command, cache, untrusted);
  if (!b || !sourcebundle_unpack(b, root, &written, &err))
    die(EXIT_FAILED, "%s: %s", l->r->command, err);
  sourcebundle_free(b);
  if (add_in(l, root))
    l->bundle = xstrdup(file);
}

static void look_at_library(struct looking *l, const char *library) {
  size_t before = l->found.n;
  autofree char *real = file_is_regular(library) ? realpath(library, NULL) : NULL;
  const char *names[] = {real ? library : NULL, real};
  for (size_t i = 0; i < 2 && l->found.n == before; i++) {
    autofree char *abs = names[i] ? path_abs(names[i]) : NULL, *dir = abs ? path_dir(abs) : NULL;
    autofree char *root = dir ? path_join(dir, "ck_jit") : NULL;
    if (root)
      add_in(l, root);
  }
  if (real && l->found.n == before)
    add_of_build(l, real);
  if (real && l->found.n == before)
    add_of_bundle(l, real);
  autofree char *recorded =
      l->found.n == before && l->r->cache ? used_manifest(l->r->cache, path_base(library)) : NULL;
  if (recorded)
    add_written(l, recorded);
  if (l->found.n == before)
    none_in(l,
            "%s: no ck_jit/" MANIFEST_NAME
            " beside it, no directory of its build, no bundle, and no record in the cache",
            library);
}

static void look_at_libraries(struct looking *l) {
  for (size_t i = 0; i < l->r->libraries.n; i++)
    look_at_library(l, l->r->libraries.args[i]);
}

/* ---- variables, and this program ---- */

/* A manifest that is named and does not exist is reported when it is read. */
static void look_at_variable(struct looking *l) {
  const char *set = env_get("CK_JIT_MANIFEST");
  if (set)
    argv_add_own(&l->found, path_abs(set));
  else
    none_in(l, "CK_JIT_MANIFEST: not set");
}

static const char *root_named(const struct request *r) {
  return r->root_given ? r->root_given : env_get("CK_JIT_ROOT");
}

static void look_at_root(struct looking *l) {
  const char *root = root_named(l->r), *by = l->r->root_given ? "--root" : "CK_JIT_ROOT";
  autofree char *dir = root ? path_abs(root) : NULL;
  if (!dir)
    none_in(l, "CK_JIT_ROOT: not set");
  else if (!add_in(l, dir))
    none_in(l, "%s: %s has no " MANIFEST_NAME, by, dir);
}

static void look_beside(struct looking *l) {
  autofree char *self = path_self_dir(), *above = path_dir(self);
  if (!add_in(l, self) && !add_in(l, above))
    none_in(l, "beside this program: neither %s nor %s has one", self, above);
}

/* ---- the cache ---- */

static void look_at_cache(struct looking *l) {
  autofree_argv libraries = {0};
  const char *cache = l->r->cache;
  if (!cache || !file_is_dir(cache)) {
    none_in(l, "the cache %s: it does not exist yet", cache ? cache : "");
    return;
  }
  const char *why = ckjit_cache_check(cache);
  if (why) {
    none_in(l, "the cache %s: not used, it %s", cache, why);
    return;
  }
  used_libraries(cache, &libraries);
  for (size_t i = 0; i < libraries.n; i++) {
    autofree char *file = used_manifest(cache, libraries.args[i]);
    if (file)
      add_written(l, file);
  }
  if (!l->found.n)
    none_in(l, "the cache %s: no record of a library that is still there", cache);
}

/* ---- the last build ---- */

struct newest {
  char *file; /* NULL: none yet */
  struct timespec time;
};

static bool is_later(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* The manifests of a work directory are in WORK/<library>/. */
static void look_in_work(struct newest *n, const char *work) {
  DIR *d = opendir(work);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *dir = path_join(work, e->d_name), *file = path_join(dir, MANIFEST_NAME);
    struct stat st;
    if (*e->d_name != '.' && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
        (!n->file || is_later(&st.st_mtim, &n->time))) {
      free(n->file);
      n->file = xstrdup(file);
      n->time = st.st_mtim;
    }
  }
  if (d)
    closedir(d);
}

static void look_in_homes(struct newest *n, const char *homes) {
  DIR *d = opendir(homes);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *dir = path_join(homes, e->d_name), *err = NULL;
    struct home *h = *e->d_name == '.' ? NULL : home_read(dir, &err);
    if (h)
      look_in_work(n, h->work);
  }
  if (d)
    closedir(d);
}

static void look_at_builds(struct looking *l) {
  struct newest n = {0};
  struct home *active = home_active();
  autofree char *homes = home_default_place();
  if (active)
    look_in_work(&n, active->work);
  if (!n.file && homes)
    look_in_homes(&n, homes);
  if (n.file)
    add_written(l, n.file);
  if (l->found.n && l->tells)
    note("%s is used: it was built last", l->found.args[0]);
  if (!l->found.n)
    none_in(l, "builds of ckjit home and ckjit run: none in %s",
            homes ? homes : "a home directory");
}

/* ---- all of them, in order ---- */

static const struct place {
  void (*look)(struct looking *l);
  /* by the user, or by the place of this program */
  bool named;
  const char *help;
} places[] = {
    {look_at_libraries, true, "the library named on the command line, by its file"},
    {look_at_variable, true, "$CK_JIT_MANIFEST"},
    {look_at_root, true, "--root, else $CK_JIT_ROOT"},
    {look_beside, true, "the directory of this program"},
    {look_at_cache, false, "the cache: the library that was called or built with it"},
    {look_at_builds, false, "the last build by ckjit home or ckjit run"},
};
enum { PLACES = sizeof places / sizeof *places };

void where_help(void) {
  puts("\nWithout --manifest, the manifest is looked for in this order:");
  for (size_t i = 0; i < PLACES; i++)
    printf("  %zu. %s\n", i + 1, places[i].help);
}

/* The command as it was typed, with WORD, and VALUE if it is not NULL, after the command's name. */
static char *retyped(const struct request *r, const char *word, const char *value) {
  struct buf b = {0};
  bool put = false;
  for (size_t i = 0; i < r->typed.n; i++) {
    if (i)
      buf_putc(&b, ' ');
    argv_quote_shell(&b, r->typed.args[i]);
    if (put || strcmp(r->typed.args[i], r->command) != 0)
      continue;
    put = true;
    buf_printf(&b, " %s", word);
    if (value) {
      buf_putc(&b, ' ');
      argv_quote_shell(&b, value);
    }
  }
  return b.data;
}

static _Noreturn void die_several(const struct looking *l) {
  struct buf b = {0};
  for (size_t i = 0; i < l->found.n; i++) {
    autofree char *command = retyped(l->r, "--manifest", l->found.args[i]);
    buf_printf(&b, "%s  %s", i ? "\n" : "", command);
  }
  die(EXIT_FAILED, "%s: %zu libraries are known; choose one [ckjit help no-library]\n%s",
      l->r->command, l->found.n, b.data);
}

static _Noreturn void die_none(const struct looking *l) {
  char *command = retyped(l->r, "/path/to/libNAME.so", NULL);
  die(EXIT_FAILED,
      "%s: the library is not known [ckjit help no-library]\n"
      "ckjit looked for its " MANIFEST_NAME " in:%s\n"
      "name the library by its file, or by --manifest FILE:\n  %s",
      l->r->command, l->looked_at.data, command);
}

/* As where_manifest; *OF_LIBRARY: the named library led to it; *BUNDLE: that of request.h. */
static char *find(const struct request *r, enum where reach, bool *of_library, char **bundle) {
  struct looking l = {.r = r, .tells = reach == WHERE_MUST};
  char *manifest = r->manifest ? path_abs(r->manifest) : NULL;
  *of_library = false;
  for (size_t i = 0; i < PLACES && !manifest && (places[i].named || reach != WHERE_NAMED); i++) {
    places[i].look(&l);
    if (l.found.n > 1 && reach == WHERE_MUST)
      die_several(&l);
    if (l.found.n > 1)
      break;
    if (l.found.n) {
      manifest = xstrdup(l.found.args[0]);
      *of_library = places[i].look == look_at_libraries;
    }
  }
  if (!manifest && reach == WHERE_MUST)
    die_none(&l);
  argv_free(&l.found);
  buf_free(&l.looked_at);
  *bundle = l.bundle;
  return manifest;
}

char *where_manifest(const struct request *r, enum where reach) {
  bool of_library;
  autofree char *bundle = NULL;
  return find(r, reach, &of_library, &bundle);
}

/* An installed manifest is in the root and has "" for it; the manifest of a work directory names
 * the build's root. */
char *where_root(const struct request *r, const struct manifest *m) {
  const char *named = root_named(r);
  if (named)
    return path_abs(named);
  return *m->root ? path_abs(m->root) : path_dir(m->file);
}

/* Check for a library that M, which was found elsewhere, does not have. Names for `warm` may be
 * only in the cache's record. */
static void check_libraries(const struct request *r, const struct manifest *m) {
  for (size_t i = 0; i < r->libraries.n && strcmp(r->command, "warm") != 0; i++) {
    bool has = false;
    for (size_t k = 0; k < m->libraries.n; k++)
      has |= strcmp(path_base(m->libraries.args[k]), path_base(r->libraries.args[i])) == 0;
    if (!has)
      die(EXIT_FAILED,
          "%s: %s has no kernel of %s; name that library's " MANIFEST_NAME " by --manifest",
          r->command, m->file, r->libraries.args[i]);
  }
}

void where_load(struct request *r) {
  bool of_library;
  autofree char *file = find(r, WHERE_MUST, &of_library, &r->bundle);
  char *err;
  if (!(r->m = manifest_open(file, &err)))
    die(EXIT_FAILED, "%s", err);
  if (!of_library)
    check_libraries(r, r->m);
  r->root = where_root(r, r->m);
}
