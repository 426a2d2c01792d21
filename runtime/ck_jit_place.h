/* ck_jit_place.h - where a library finds its sources, its compiler and its cache.
 *
 * The install tree can be moved anywhere, so nothing but fallbacks is an absolute name: the root is looked
 * for beside the library. Variables are read when they are needed, not at load (the runtime does nothing at
 * load), and not at all in a set-user-ID process, where they are an attacker's.
 *
 * Relative names: CK_JIT_ROOT and CK_JIT_CACHE_DIR of the environment count from the current directory, as
 * its user typed them; a root baked into the library counts from the library's directory.
 */
#ifndef CK_JIT_PLACE_H
#define CK_JIT_PLACE_H

#include "ck_jit_entry.h"
#include "ck_jit_text.h"

#include <dlfcn.h>
#include <link.h>
#include <pwd.h>
#include <sys/auxv.h>

/* the variable's value, NULL where it is unset or empty */
static const char *ckjit_env(const char *name) {
  const char *s = secure_getenv(name);
  return s && *s ? s : NULL;
}

static bool ckjit_is_dir(const char *p) {
  struct stat st;
  return p && stat(p, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ckjit_is_program(const char *p) {
  struct stat st;
  return p && stat(p, &st) == 0 && S_ISREG(st.st_mode) && access(p, X_OK) == 0;
}

/* Add P, made absolute. */
static void ckjit_add_absolute(struct ckjit_text *t, const char *p) {
  char *cwd = *p == '/' ? NULL : getcwd(NULL, 0);
  if (cwd)
    ckjit_addf(t, "%s/", cwd);
  free(cwd);
  ckjit_add(t, p);
}

/* Add the directory that this library was loaded from. False where the dynamic linker does not know it. */
static bool ckjit_add_library_dir(struct ckjit_text *t) {
  Dl_info info;
  struct link_map *map;
  if (!dladdr1((void *)ckjit_resolve, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  if (info.dli_fname[0] == '/') {
    ckjit_add_bytes(t, info.dli_fname, slash == info.dli_fname ? 1 : (size_t)(slash - info.dli_fname));
    return true;
  }
  /* Loaded as dlopen("./lib.so"): the process may have changed its directory since; the dynamic linker
   * remembers. */
  char origin[2 * PATH_MAX];
  if (!map->l_name[0]) {
    /* The main program: glibc's RTLD_DI_ORIGIN crashes for one that was started by a relative name. */
    ssize_t n = readlink("/proc/self/exe", origin, sizeof origin - 1);
    if (n <= 0)
      return false;
    origin[n] = 0;
    slash = strrchr(origin, '/');
    if (!slash)
      return false;
    ckjit_add_bytes(t, origin, slash == origin ? 1 : (size_t)(slash - origin));
    return true;
  }
  if (dlinfo(map, RTLD_DI_ORIGIN, origin))
    return false;
  ckjit_add(t, origin);
  return true;
}

/* Add the file that this library was loaded from. */
static bool ckjit_add_library(struct ckjit_text *t) {
  Dl_info info;
  if (!dladdr((void *)ckjit_resolve, &info) || !info.dli_fname || !ckjit_add_library_dir(t))
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  ckjit_addf(t, "/%s", slash ? slash + 1 : info.dli_fname);
  return true;
}

/* The root: CK_JIT_ROOT, the one baked in, ck_jit beside the library (or beside the file that a symbolic link
 * to the library means), else the tree that the library was built in. */
static void ckjit_find_root(struct ckjit_text *root) {
  const char *set = ckjit_env("CK_JIT_ROOT");
  struct ckjit_text dir = {0};
  if (set) {
    ckjit_add_absolute(root, set);
    return;
  }
  if (CKJIT_ROOT[0] == '/') {
    ckjit_add(root, CKJIT_ROOT);
    return;
  }
  if (ckjit_add_library_dir(&dir) && ckjit_whole(&dir)) {
    if (CKJIT_ROOT[0]) {
      ckjit_addf(root, "%s/%s", dir.data, CKJIT_ROOT);
    } else {
      ckjit_addf(root, "%s/ck_jit", dir.data);
      Dl_info info;
      char *real = NULL, *slash = NULL;
      if (!root->lost && !ckjit_is_dir(root->data) && dladdr((void *)ckjit_resolve, &info) &&
          (real = realpath(info.dli_fname, NULL)) && (slash = strrchr(real, '/'))) {
        ckjit_text_clear(root);
        ckjit_addf(root, "%.*s/ck_jit", (int)(slash - real), real);
      }
      free(real);
      if (!root->lost && !ckjit_is_dir(root->data))
        ckjit_text_clear(root);
    }
  }
  root->lost |= dir.lost; /* without memory to look for it: not another one */
  ckjit_text_free(&dir);
  if (!root->len)
    ckjit_add(root, CKJIT_BUILD_ROOT);
}

/* The program that compiles: the root's own, which belongs to the same version, else the one of the build. */
static void ckjit_find_program(struct ckjit_text *program, const char *root) {
  ckjit_addf(program, "%s/ckjit-compile", root);
  if (ckjit_is_program(ckjit_whole(program)))
    return;
  ckjit_text_clear(program);
  ckjit_add(program, CKJIT_COMPILE);
}

/* Add the user's cache directory's parent: $XDG_CACHE_HOME, $HOME/.cache, or .cache of the home directory
 * that the user database gives (a service has no HOME). False where there is none. */
static bool ckjit_add_cache_home(struct ckjit_text *t) {
  const char *xdg = ckjit_env("XDG_CACHE_HOME"), *home = ckjit_env("HOME");
  if (xdg && xdg[0] == '/') { /* the XDG specification: a relative one is to be ignored */
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

/* mkdir -p with mode 0700; 0 or errno. PATH is changed for the time of the call. */
static int ckjit_make_dirs(char *path) {
  for (char *p = path + 1;; p++) {
    if (*p && *p != '/')
      continue;
    char end = *p;
    *p = 0;
    int error = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
    if (error && ckjit_is_dir(path))
      error = 0; /* EROFS and EACCES stand before EEXIST on some file systems */
    *p = end;
    if (error)
      return error;
    if (!end)
      return 0;
  }
}

/* False, and why in ERROR, in a process that may more than its user, who could change what it would load: in
 * the cache, or while it is compiled. */
static bool ckjit_may_load(struct ckjit_text *error) {
  if (!getauxval(AT_SECURE) || geteuid() != getuid() || geteuid() == 0)
    return true;
  ckjit_add(error, "this program may more than its user (set-group-ID, file capabilities): nothing is "
                   "loaded from the user's "
                   "cache directory, to which the user can write");
  return false;
}

/* The cache directory, made where it is not there. False and why in ERROR where there is none to trust: who
 * can write into it decides what this process executes. */
static bool ckjit_find_cache(struct ckjit_text *cache, struct ckjit_text *error) {
  const char *dir = ckjit_env("CK_JIT_CACHE_DIR"), *name = ckjit_env("CK_JIT_NAME");
  if (!ckjit_may_load(error))
    return false;
  if (dir) {
    ckjit_add_absolute(cache, dir);
  } else if (ckjit_add_cache_home(cache)) {
    ckjit_addf(cache, "/%s", name ? name : CKJIT_NAME);
  } else {
    ckjit_add(error, "there is no cache directory: set CK_JIT_CACHE_DIR, XDG_CACHE_HOME or HOME");
    return false;
  }
  if (!ckjit_whole(cache)) {
    ckjit_add(error, "out of memory");
    return false;
  }
  while (cache->len > 1 && cache->data[cache->len - 1] == '/')
    cache->data[--cache->len] = 0;
  int e = ckjit_make_dirs(cache->data);
  const char *why = e ? NULL : ckjit_cache_check(cache->data);
  if (e)
    ckjit_addf(error, "the cache directory %s cannot be made: %s (set CK_JIT_CACHE_DIR to one that can)",
               cache->data, strerror(e));
  else if (why)
    ckjit_addf(error,
               "the cache directory %s %s: nothing is loaded from it. Mend that, or set CK_JIT_CACHE_DIR",
               cache->data, why);
  return !e && !why;
}

/* The directory of CK_JIT_CACHE_READONLY_DIR, looked into before the cache. False where none is set, or where
 * it is not to be trusted: then WHY says so. */
static bool ckjit_find_readonly(struct ckjit_text *dir, struct ckjit_text *why) {
  const char *set = ckjit_env("CK_JIT_CACHE_READONLY_DIR");
  if (!set)
    return false;
  ckjit_add_absolute(dir, set);
  while (dir->len > 1 && dir->data[dir->len - 1] == '/')
    dir->data[--dir->len] = 0;
  const char *wrong = ckjit_whole(dir) ? ckjit_readonly_check(dir->data) : "has too long a name";
  if (wrong)
    ckjit_addf(why, "CK_JIT_CACHE_READONLY_DIR: %s %s: it is not used", set, wrong);
  return !wrong;
}

/* TEXT with a "{root}" at its start replaced by ROOT; absolute names stay as they are. */
static void ckjit_add_expanded(struct ckjit_text *t, const char *text, const char *root) {
  static const char word[] = "{root}";
  if (strncmp(text, word, sizeof word - 1) == 0) {
    ckjit_add(t, root);
    text += sizeof word - 1;
  }
  ckjit_add(t, text);
}

#endif
