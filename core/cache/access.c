/* access.c - checks whether a cache directory may be used, and gives advice. See cachedir.h. */
#include "cachedir.h"

#include "core/base/path.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <unistd.h>

char *cachedir_advice(int error) {
  if (error == EACCES || error == EROFS || error == EPERM)
    return xstrdup("set CK_JIT_CACHE_DIR to a directory that you can write to, "
                   "and CK_JIT_CACHE_READONLY_DIR to this cache if it has entries");
  if (error == ENOSPC || error == EDQUOT)
    return xstrdup("free some space, or set CK_JIT_CACHE_DIR to a directory on another disk");
  return xstrdup("set CK_JIT_CACHE_DIR to another directory");
}

char *cachedir_why(const char *what, const char *path, int error) {
  autofree char *todo = cachedir_advice(error);
  return xasprintf("cannot %s %s: %s; %s [ckjit help cache-not-written]", what, path,
                   ckjit_open_failed(error), todo);
}

bool cachedir_writable(const char *dir, char **err) {
  bool ok = faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
  if (!ok)
    *err = cachedir_why("write to the cache directory", dir, errno);
  return ok;
}

bool cachedir_open(const char *dir, char **err) {
  bool made = dir_make_own(dir);
  const char *why = made ? ckjit_cache_check(dir) : NULL;
  if (!made)
    *err = cachedir_why("make the cache directory", dir, errno);
  else if (why)
    *err = xasprintf("the cache directory %s %s [ckjit help cache-not-trusted]", dir, why);
  return made && !why;
}
