/* ck_jit_cachedir.h - the cache directory: its files other than entries, and when to trust it.
 *
 * Anyone who can write into the cache decides what its users execute, and anyone who can read it
 * learns what they compute. So it belongs to the effective user, has mode 0700, and is no symbolic
 * link. A read-only one may be root's, and everybody may read it. This is one rule for the runtime,
 * ckjit-compile and ckjit-prebuild. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_CACHEDIR_H
#define CK_JIT_CACHEDIR_H

#include "ck_jit_access.h"
#include "ck_jit_file.h"
#include "ck_jit_trust.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names in it that are not entries */
/* <hex>: lock file of one compile; <hex>.failed: why the last one failed */
#define CKJIT_LOCKS ".locks"
#define CKJIT_LOGS ".logs"           /* <stem>.log: output of a failed compile */
#define CKJIT_COMPILERS ".compilers" /* facts about compilers (compile/memo.c) */
#define CKJIT_PCH ".pch"             /* precompiled headers (compile/pch.c) */
#define CKJIT_FRAGMENTS ".fragments" /* objects from which blobs are linked (compile/place.c) */
/* functions of HIP blobs that launch no kernel (compile/hostonly/alone.c) */
#define CKJIT_HOST ".host"
#define CKJIT_TEMPORARY ".tmp-" /* start of each temporary name */

/* Does a process hold the lock file of the build id HEX in the cache DIR? On other machines it does
 * if there is a lease beside it (core/cache/lease.h). It tries a shared lock, so that two processes
 * that ask at once do not disturb each other, and unlocks it explicitly: a fork at this moment
 * gives the child a copy of the descriptor, which would hold the lock until the child ends. */
static inline bool ckjit_lock_is_held(const char *dir, const char *hex) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/" CKJIT_LOCKS "/%s.1", dir, hex) >= (int)sizeof path)
    return false;
  bool leased = ckjit_may(path, F_OK);
  path[strlen(path) - 2] = 0;
  int fd = leased ? -1 : ckjit_open_cached(path, O_RDONLY, 0, UINT64_MAX, NULL);
  bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0 && !locked)
    flock(fd, LOCK_UN);
  if (fd >= 0)
    close(fd);
  return leased || locked;
}

static inline bool ckjit_is_empty(const char *dir) {
  size_t n = 0;
  DIR *d = opendir(dir);
  while (d && n < 3 && readdir(d)) /* "." and ".." are always there */
    n++;
  bool empty = d && n < 3;
  if (d)
    closedir(d);
  return empty;
}

/* What to do about DIR, which others can read or write. Closing /tmp, a home or a mounted disk to
 * all others would break the machine, so the advice is to close only a directory that is a cache
 * already, or an empty one without another purpose. */
static inline const char *ckjit_open_why(const char *dir, const struct stat *st) {
  char path[PATH_MAX];
  struct stat up, root;
  bool fits = snprintf(path, sizeof path, "%s/" CKJIT_LOCKS, dir) < PATH_MAX;
  bool is_cache = fits && ckjit_may(path, F_OK) && !(st->st_mode & S_ISVTX);
  fits = snprintf(path, sizeof path, "%s/..", dir) < PATH_MAX;
  bool is_top = !fits || st->st_mode & S_ISVTX || stat(path, &up) || stat("/", &root) ||
                up.st_dev != st->st_dev || (up.st_dev == root.st_dev && up.st_ino == root.st_ino);
  if (!is_cache && (is_top || !ckjit_is_empty(dir)))
    return "is open to other users and holds other files; set CK_JIT_CACHE_DIR to a directory "
           "below it, which ckjit creates with mode 0700";
  if (!is_cache)
    return "is open to other users; expected mode 0700: chmod 700 it if it is for a cache alone, "
           "or set CK_JIT_CACHE_DIR to "
           "a directory below it";
  return "is open to other users; expected mode 0700 (chmod 700)";
}

/* May DIR be the cache? NULL if it is a directory of the effective user's that nobody else can use,
 * otherwise the reason, as text that follows its name. */
static inline const char *ckjit_cache_check(const char *dir) {
  struct stat st;
  if (lstat(dir, &st))
    return errno == ENOENT ? "is not there"
                           : "cannot be examined; set CK_JIT_CACHE_DIR to another directory";
  if (S_ISLNK(st.st_mode))
    return "is a symbolic link; name the directory that it points to";
  if (!S_ISDIR(st.st_mode))
    return "is not a directory; set CK_JIT_CACHE_DIR to one";
  if (!ckjit_is_own(&st))
    return ckjit_uid_is_known(st.st_uid)
               ? "belongs to another user; set CK_JIT_CACHE_DIR to one of your own"
               : ckjit_owner_why(&st);
  return st.st_mode & 077 ? ckjit_open_why(dir, &st) : NULL;
}

/* The same for a read-only cache, which may be root's and readable by everybody. */
static inline const char *ckjit_readonly_check(const char *dir) {
  struct stat st;
  if (lstat(dir, &st))
    return errno == ENOENT ? "is not there" : "cannot be examined";
  if (S_ISLNK(st.st_mode))
    return "is a symbolic link; name the directory that it points to";
  return S_ISDIR(st.st_mode) ? ckjit_owner_check(&st) : "is not a directory";
}

#endif
