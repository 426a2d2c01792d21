/* ck_jit_place.c - where a library finds its sources, its compiler and its cache.
 *
 * Each is searched for in a fixed order: a variable of the user's, a file beside the library, the
 * place of the build. The variables are read when they are needed, not at load, because nothing
 * happens at load. In a set-user-ID process they are not read at all, since they are an attacker's.
 * The library's directory is that of the mapped file (ck_jit_self.h): the program may have been
 * started from anywhere, and the tree may have been moved. Files found there, or by a name of the
 * build, are checked before they are used; names that the user gives are trusted.
 */
#include "ck_jit_place.h"
#include "ck_jit_access.h"
#include "ck_jit_entry.h"
#include "ck_jit_make.h"
#include "ck_jit_manifest.h"
#include "ck_jit_say.h"
#include "ck_jit_self.h"
#include "ck_jit_settings.h"
#include "ck_jit_trust.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/statvfs.h>

/* ---- paths ---- */

static bool ckjit_is_dir(const char *path) {
  struct stat st;
  return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ckjit_is_program(const char *path) {
  struct stat st;
  return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) && ckjit_may(path, X_OK);
}

void ckjit_add_absolute(struct ckjit_text *t, const char *path) {
  char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
  if (cwd)
    ckjit_addf(t, "%s/", cwd);
  free(cwd);
  ckjit_add(t, path);
}

void ckjit_add_expanded(struct ckjit_text *t, const char *text, const char *root) {
  static const char word[] = "{root}";
  if (strncmp(text, word, sizeof word - 1) == 0) {
    ckjit_add(t, root);
    text += sizeof word - 1;
  }
  ckjit_add(t, text);
}

/* The directory of PATH, which has a slash. */
static void ckjit_add_dir_of(struct ckjit_text *t, const char *path) {
  const char *slash = strrchr(path, '/');
  ckjit_add_bytes(t, path, slash == path ? 1 : (size_t)(slash - path));
}

static void ckjit_drop_slashes(struct ckjit_text *t) {
  while (t->len > 1 && t->data[t->len - 1] == '/')
    t->data[--t->len] = 0;
}

/* mkdir -p with mode 0700; 0 or errno. PATH is changed during the call. */
static int ckjit_make_dirs(char *path) {
  for (char *p = path + 1;; p++) {
    if (*p && *p != '/')
      continue;
    char end = *p;
    *p = 0;
    int error = ckjit_make_dir(path, true) || errno == EEXIST ? 0 : errno;
    if (error && ckjit_is_dir(path))
      error = 0; /* some file systems return EROFS or EACCES rather than EEXIST */
    *p = end;
    if (error)
      return error;
    if (!end) {
      ckjit_make_enterable(path);
      return 0;
    }
  }
}

/* ---- the root ---- */

/* The name of the root in the library's directory; NULL: the root is an absolute name. */
static const char *ckjit_root_name(void) {
  const char *set = ckjit_env("CK_JIT_ROOT"), *name = set ? set : ckjit_string(ckjit_facts.root);
  return *name == '/' ? NULL : *name ? name : "ck_jit";
}

/* Whether the root is in the directory of FILE, which has a slash. R becomes that root. */
static bool ckjit_root_is_beside(struct ckjit_root *r, const char *file,
                                 enum ckjit_root_from from) {
  const char *name = ckjit_root_name();
  if (!name)
    return false;
  ckjit_text_clear(&r->path);
  ckjit_add_dir_of(&r->path, file);
  r->dir = r->path.len;
  ckjit_addf(&r->path, "/%s", name);
  r->from = from;
  return r->path.lost || ckjit_is_dir(r->path.data);
}

/* Set R to the root beside LIBRARY, as it was loaded, or beside the mapped file. A name leads to
 * another file if it was relative and the process has changed its directory, or if the file was
 * replaced: then LIBRARY becomes the mapped file. */
static bool ckjit_find_root_beside(struct ckjit_root *r, struct ckjit_text *library) {
  struct ckjit_text mapped = {0};
  struct stat named;
  bool known = ckjit_add_mapped_file(&mapped, &r->library), found = false;
  bool same = known && library->len && stat(library->data, &named) == 0 &&
              named.st_dev == r->library.st_dev && named.st_ino == r->library.st_ino;
  if (known && !same) {
    ckjit_text_clear(library);
    ckjit_add(library, mapped.data);
  }
  if (library->len && ckjit_whole(library))
    found =
        ckjit_root_is_beside(r, library->data, known ? CKJIT_ROOT_BESIDE : CKJIT_ROOT_WRITTEN) ||
        (same && ckjit_root_is_beside(r, mapped.data, CKJIT_ROOT_BESIDE));
  r->is_library = known || !library->len;
  r->path.lost |= library->lost; /* without memory to search for it: no other root */
  ckjit_text_free(&mapped);
  return found || r->path.lost;
}

void ckjit_find_root(struct ckjit_root *r, struct ckjit_text *library) {
  const char *set = ckjit_env("CK_JIT_ROOT"), *root = ckjit_string(ckjit_facts.root);
  bool beside = ckjit_find_root_beside(r, library);
  if (set)
    r->from = CKJIT_ROOT_NAMED;
  if (beside || (set && r->path.len)) /* a name that is wrong is not replaced by another */
    return;
  r->from = set ? CKJIT_ROOT_NAMED : CKJIT_ROOT_WRITTEN;
  ckjit_text_clear(&r->path);
  if (set)
    ckjit_add_absolute(&r->path, set);
  else
    ckjit_add(&r->path, *root == '/' ? root : ckjit_build_root);
}

/* NULL, or why PLACE, which is in the root R, or R itself, is not trusted; then S has the part. */
static const char *ckjit_root_why(const char *place, const struct ckjit_root *r,
                                  struct ckjit_suspect *s) {
  char dir[PATH_MAX];
  if (r->from == CKJIT_ROOT_NAMED)
    return NULL;
  if (r->from == CKJIT_ROOT_WRITTEN || r->dir >= sizeof dir)
    return ckjit_path_check(place, s);
  memcpy(dir, place, r->dir);
  dir[r->dir] = 0;
  return ckjit_beside_check(dir, place + r->dir, &r->library, s);
}

/* Whether only those who could have exchanged the library itself can have put PLACE there; for a
 * name from the time of the build: only root and the user. False, and the reason in ERROR. */
static bool ckjit_check_place(const char *place, const struct ckjit_root *r,
                              struct ckjit_text *error) {
  struct ckjit_suspect suspect;
  char text[PATH_MAX + 256];
  const char *why = ckjit_root_why(place, r, &suspect);
  if (!why)
    return true;
  if (suspect.error && ckjit_suspect_text(text, sizeof text, &suspect, why)) {
    ckjit_addf(error, "%s is not used: %s", place, text);
    return false;
  }
  ckjit_addf(
      error,
      "%s is not used: %s, so another user could have replaced it [ckjit help untrusted-name]\n%s\n"
      "set CK_JIT_ROOT to the ck_jit directory of an install, which has sources and ckjit-compile, "
      "or to this "
      "directory if you trust it",
      place,
      r->from == CKJIT_ROOT_BESIDE ? "it is beside the library"
                                   : "its name was recorded when the library was built",
      ckjit_suspect_text(text, sizeof text, &suspect, why) ? text : why);
  return false;
}

static const struct ckjit_root ckjit_of_the_build = {.from = CKJIT_ROOT_WRITTEN};

bool ckjit_check_root(const struct ckjit_root *r, struct ckjit_text *error) {
  return !r->path.len || !ckjit_is_dir(r->path.data) || ckjit_check_place(r->path.data, r, error);
}

bool ckjit_find_program(struct ckjit_text *program, const struct ckjit_root *r, const char *library,
                        struct ckjit_text *error) {
  if (r->path.len) {
    ckjit_addf(program, "%s/ckjit-compile", r->path.data);
    if (ckjit_is_program(ckjit_whole(program)))
      return ckjit_check_place(program->data, r, error);
    ckjit_text_clear(program);
  }
  ckjit_add(program, ckjit_build_compile);
  if (!ckjit_whole(program))
    return true;
  if (program->len && !ckjit_is_program(program->data)) {
    ckjit_addf(error, "%s cannot be run: %s", program->data, strerror(errno));
    return false;
  }
  if (program->len)
    return ckjit_check_place(program->data, &ckjit_of_the_build, error);
  if (r->path.len)
    ckjit_addf(error,
               "there is no ckjit-compile: expected it in %s%s [ckjit help no-ckjit-compile]\n",
               r->path.data, r->from == CKJIT_ROOT_NAMED ? ", which CK_JIT_ROOT names" : "");
  else
    ckjit_addf(
        error,
        "there is no ckjit-compile: neither CK_JIT_ROOT is set nor a directory ck_jit beside "
        "%s [ckjit help no-ckjit-compile]\n",
        library);
  ckjit_add(error, "put the library beside the ck_jit directory of its install, or set CK_JIT_ROOT "
                   "to that directory");
  return false;
}

bool ckjit_find_packer(struct ckjit_text *program, const struct ckjit_root *r, const char *library,
                       struct ckjit_text *error) {
  static const char name[] = "ckjit-compile";
  if (!ckjit_find_program(program, r, library, error) || !ckjit_whole(program) ||
      program->len < sizeof name - 1)
    return false;
  bool of_root = r->path.len && strncmp(program->data, r->path.data, r->path.len) == 0;
  program->len -= sizeof name - 1;
  ckjit_add(program, "ckjit-prebuild");
  if (ckjit_whole(program) && ckjit_is_program(program->data))
    return ckjit_check_place(program->data, of_root ? r : &ckjit_of_the_build, error);
  ckjit_addf(error, "%s cannot be run: %s", ckjit_reason(program), strerror(errno));
  return false;
}

/* Append NAME in the directory of PLACE to FILE, if it may be used as MODE says (access). */
static bool ckjit_find_beside(struct ckjit_text *file, const char *place, const char *name,
                              int mode) {
  if (!strchr(place, '/'))
    return false;
  ckjit_add_dir_of(file, place);
  ckjit_addf(file, "/%s", name);
  if (ckjit_whole(file) && ckjit_may(file->data, mode))
    return true;
  ckjit_text_clear(file);
  return false;
}

void ckjit_find_prebuild(struct ckjit_text *program, struct ckjit_text *manifest,
                         const char *root) {
  static const char name[] = "ckjit-prebuild", list[] = "ck_jit_manifest.json";
  const char *set = ckjit_env("CK_JIT_MANIFEST");
  struct ckjit_text in = {0};
  ckjit_addf(&in, "%s/", root);
  const char *dir = ckjit_whole(&in) ? in.data : "";
  if (!ckjit_find_beside(program, dir, name, X_OK) &&
      !ckjit_find_beside(program, ckjit_build_compile, name, X_OK))
    ckjit_add(program, name);
  if (set)
    ckjit_add_absolute(manifest, set);
  else if (!ckjit_find_beside(manifest, dir, list, R_OK))
    ckjit_find_beside(manifest, ckjit_build_inputs, list, R_OK);
  ckjit_text_free(&in);
}

/* Whether FILE, of R, exists and is trusted. */
static bool ckjit_may_read(const struct ckjit_text *file, const struct ckjit_root *r) {
  struct ckjit_suspect suspect;
  return ckjit_whole(file) && ckjit_may(file->data, R_OK) &&
         !ckjit_root_why(file->data, r, &suspect);
}

void ckjit_find_inputs(struct ckjit_text *file, const char *name, const struct ckjit_root *r,
                       const struct ckjit_text *library) {
  const char *dir = ckjit_build_inputs;
  ckjit_addf(file, "%s/ck_jit_inputs/%s", r->path.data ? r->path.data : "", name);
  if (ckjit_may_read(file, r))
    return;
  ckjit_text_clear(file);
  ckjit_addf(file, "%s/%s", dir, name);
  if ((*dir && ckjit_may_read(file, &ckjit_of_the_build)) || !*ckjit_inputs)
    return;
  ckjit_text_clear(file);
  if (library->len && (r->is_library || ckjit_may_read(library, &ckjit_of_the_build)))
    ckjit_add(file, library->data);
}

void ckjit_find_source(struct ckjit_text *source, uint32_t blob, const char *root) {
  const struct ckjit_blob *b = &ckjit_blobs[blob];
  if (b->dir) {
    ckjit_add_expanded(source, ckjit_string(b->dir), root);
    ckjit_addf(source, "/%s", ckjit_string(b->name));
  } else {
    ckjit_add_expanded(source, ckjit_string(b->name), root);
  }
}

/* ---- the caches ---- */

/* The parent of the user's cache directory: $XDG_CACHE_HOME, $HOME/.cache, or .cache of the home
 * directory in the user database (a service has no HOME). False if there is none. */
static bool ckjit_add_cache_home(struct ckjit_text *t) {
  const char *xdg = ckjit_env("XDG_CACHE_HOME"), *home = ckjit_env("HOME");
  if (xdg && xdg[0] == '/') { /* the XDG specification says to ignore relative ones */
    ckjit_add(t, xdg);
    return true;
  }
  char buf[4096];
  struct passwd pw, *found = NULL;
  if (!home && getpwuid_r(geteuid(), &pw, buf, sizeof buf, &found) == 0 && found && found->pw_dir &&
      *found->pw_dir)
    home = found->pw_dir;
  if (!home)
    return false;
  ckjit_add_absolute(t, home);
  ckjit_add(t, "/.cache");
  return true;
}

bool ckjit_may_load(struct ckjit_text *error) {
  if (!getauxval(AT_SECURE) || geteuid() != getuid() || geteuid() == 0)
    return true;
  ckjit_add(error,
            "this program has more privileges than its user (set-group-ID, file capabilities): "
            "it loads nothing from the user's cache directory, which the user can write to [ckjit "
            "help more-privileges]");
  return false;
}

/* Is DIR mounted noexec? Then a compile of minutes would be wasted. */
static bool ckjit_is_noexec(const char *dir) {
  struct statvfs fs;
  return statvfs(dir, &fs) == 0 && fs.f_flag & ST_NOEXEC;
}

/* A directory that the program has chosen. Another thread may read any, so none is freed. */
struct ckjit_choice {
  struct ckjit_choice *before;
  char dir[]; /* absolute; empty: that of the environment */
};
static struct ckjit_choice *ckjit_choice; /* the last one; atomic */

bool ckjit_choose_cache(const char *dir) {
  struct ckjit_text t = {0};
  ckjit_add(&t, "");
  if (dir && *dir)
    ckjit_add_absolute(&t, dir);
  const char *whole = ckjit_whole(&t);
  struct ckjit_choice *new = whole ? malloc(sizeof *new + t.len + 1) : NULL;
  if (new) {
    memcpy(new->dir, whole, t.len + 1);
    new->before = __atomic_load_n(&ckjit_choice, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&ckjit_choice, &new->before, new, false, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
      ;
  }
  ckjit_text_free(&t);
  return new;
}

bool ckjit_find_cache(struct ckjit_text *cache, struct ckjit_text *error, bool *none) {
  const char *dir = ckjit_env("CK_JIT_CACHE_DIR"), *name = ckjit_env("CK_JIT_NAME");
  const struct ckjit_choice *choice = __atomic_load_n(&ckjit_choice, __ATOMIC_ACQUIRE);
  if (!ckjit_may_load(error))
    return false;
  if (choice && choice->dir[0])
    dir = choice->dir;
  if (dir) {
    ckjit_add_absolute(cache, dir);
  } else if (ckjit_add_cache_home(cache)) {
    ckjit_addf(cache, "/%s", name ? name : ckjit_string(ckjit_facts.name));
  } else {
    if (ckjit_never_compiles())
      return true;
    *none = true;
    ckjit_add(error, "there is no cache directory: set CK_JIT_CACHE_DIR, XDG_CACHE_HOME or HOME "
                     "[ckjit help no-cache-directory]");
    return false;
  }
  if (!ckjit_whole(cache)) {
    ckjit_add(error, "out of memory");
    return false;
  }
  ckjit_drop_slashes(cache);
  int e = ckjit_make_dirs(cache->data);
  if (e && ckjit_never_compiles()) { /* a container with a read-only file system */
    ckjit_text_clear(cache);
    return true;
  }
  const char *why = e ? NULL : ckjit_cache_check(cache->data);
  /* space can be freed, which is better than compiling each time */
  if (e && e != ENOSPC && e != EDQUOT)
    *none = true;
  if (e)
    ckjit_addf(error,
               "the cache directory %s cannot be made: %s (set CK_JIT_CACHE_DIR to one that can) "
               "[ckjit help cache-not-made]",
               cache->data, strerror(e));
  else if (why)
    ckjit_addf(
        error,
        "the cache directory %s %s [ckjit help cache-not-trusted]\nnothing is loaded from it",
        cache->data, why);
  if (e || why)
    return false;
  if (!ckjit_is_noexec(cache->data) || ckjit_never_compiles())
    return true;
  *none = true;
  ckjit_addf(error,
             "no code can be loaded from the cache directory %s: its file system is mounted noexec "
             "(set CK_JIT_CACHE_DIR to a directory of "
             "another one) [ckjit help cache-noexec]",
             cache->data);
  return false;
}

void ckjit_find_readonly(struct ckjit_text *dir) {
  static int said;
  const char *set = ckjit_env("CK_JIT_CACHE_READONLY_DIR");
  if (!set)
    return;
  ckjit_add_absolute(dir, set);
  ckjit_drop_slashes(dir);
  const char *wrong =
      ckjit_whole(dir) ? ckjit_readonly_check(dir->data) : "cannot be examined: out of memory";
  if (!wrong)
    return;
  if (!ckjit_env("CK_JIT_TRUST_KEYS")) /* with keys ckjit-compile takes signed entries from it */
    ckjit_warn_once(&said, "CK_JIT_CACHE_READONLY_DIR: %s %s: it is not used", set, wrong);
  ckjit_text_clear(dir);
}
