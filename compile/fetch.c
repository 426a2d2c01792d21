/* fetch.c - see fetch.h.
 *
 *     CK_JIT_CACHE_READONLY_DIR   if others can write to it; otherwise the job reads it itself
 *
 * A file is copied first and judged then, because its owner may change it at any time. What was
 * judged is renamed into the cache, which is private.
 */
#include "fetch.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cache/fresh.h"
#include "core/cache/owned.h"
#include "core/cache/placing.h"
#include "core/cache/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copy FROM, a regular file of SIZE bytes, into the new file TO, and through to the disk. Returns
 * its descriptor; -1 with errno. */
static int copy(const char *to, int from, uint64_t size) {
  enum { CHUNK = 1 << 16 };
  int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700), error = fd < 0 ? errno : 0;
  char *bytes = xmalloc(CHUNK);
  for (uint64_t at = 0, n; at < size && !error; at += n) {
    n = size - at < CHUNK ? size - at : CHUNK;
    errno = EIO; /* it was truncated meanwhile */
    error = ckjit_pread_all(from, bytes, n, at) ? ckjit_write_file(fd, bytes, n) : errno;
  }
  free(bytes);
  if (!error && fsync(fd))
    error = errno;
  if (error && fd >= 0)
    close(fd);
  errno = error;
  return error ? -1 : fd;
}

/* Why the copy at FD is not T's entry, signed by one of KEYS; NULL: it is. */
static const char *why_not(int fd, const struct compile_task *t, const struct signature_keys *keys) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  const char *why = ckjit_entry_read(fd, id, &kind);
  if (!why && memcmp(id, t->id, sizeof id) != 0)
    return ""; /* another build's or machine's, under the same name */
  return why ? why : signature_why(fd, keys);
}

/* Take the file PATH, open at FROM, into T's cache. */
static bool take(struct compile_task *t, const char *path, int from, uint64_t size,
                 const struct signature_keys *keys) {
  char *prefix = xasprintf("%s/" CKJIT_TEMPORARY "%s", t->dir, t->hex), *dir = owned_make(prefix),
       *file = dir ? path_join(dir, "entry.so") : NULL;
  int fd = file ? copy(file, from, size) : -1, error = errno;
  const char *why = fd >= 0 ? why_not(fd, t, keys) : strerror(error);
  bool done = !why && !placing_rename(t->placed, t->dir, t->stem, t->id, file) && placing_sync_dir(t->dir);
  if (why && *why)
    warn("%s %s: it is not used", path, why);
  if (fd >= 0)
    close(fd);
  if (dir)
    owned_remove(dir);
  free(file);
  free(dir);
  free(prefix);
  return done;
}

static bool take_file(struct compile_task *t, const char *path, const struct signature_keys *keys) {
  struct stat st;
  int fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  bool taken = fd >= 0 && take(t, path, fd, (uint64_t)st.st_size, keys);
  if (fd >= 0)
    close(fd);
  return taken;
}

static bool take_from(struct compile_task *t, const char *dir, const struct signature_keys *keys) {
  char plain[PATH_MAX], keyed[PATH_MAX];
  size_t n = strlen(t->stem);
  if (!ckjit_entry_path(plain, dir, t->stem, n, NULL) || !ckjit_entry_path(keyed, dir, t->stem, n, t->hex))
    return false;
  return take_file(t, plain, keys) || take_file(t, keyed, keys) ||
         (fresh_entry(dir, t->stem, t->id) && (take_file(t, plain, keys) || take_file(t, keyed, keys)));
}

bool fetch_entry(struct compile_task *t) {
  const char *set = env_get("CK_JIT_CACHE_READONLY_DIR");
  struct signature_keys keys;
  char *err = NULL;
  if (!signature_trusted(&keys, &err)) {
    warn("%s: no signed entry is used", err);
    free(err);
  }
  char *dir = keys.n && set ? path_abs(set) : NULL;
  bool taken = dir && ckjit_readonly_check(dir) && take_from(t, dir, &keys);
  free(dir);
  signature_keys_free(&keys);
  return taken;
}
