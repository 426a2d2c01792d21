/* fetch.c - see fetch.h.
 *
 *     CK_JIT_CACHE_READONLY_DIR   if others can write to it; otherwise the job reads it itself
 *     CK_JIT_REMOTE_STORAGE       core/cache/storage.h
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
#include "core/cache/storage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* where an entry comes from: a file, or storage */
struct source {
  const char *name; /* for messages */
  int fd;           /* a regular file of SIZE bytes; -1 */
  uint64_t size;
  struct storage *storage;
};

/* Copy FROM's entry for T into TO, an empty file. False: *ERR, or NULL if it has none. */
static bool copy(int to, const struct source *from, const struct compile_task *t, char **err) {
  enum { CHUNK = 1 << 16 };
  *err = NULL;
  if (from->storage)
    return storage_get(from->storage, t->id, to, err);
  autofree char *bytes = xmalloc(CHUNK);
  int error = 0;
  for (uint64_t at = 0, n; at < from->size && !error; at += n) {
    n = from->size - at < CHUNK ? from->size - at : CHUNK;
    errno = EIO; /* it was truncated meanwhile */
    error = ckjit_pread_all(from->fd, bytes, n, at) ? ckjit_write_file(to, bytes, n) : errno;
  }
  if (error)
    *err = xasprintf("%s: %s", from->name, strerror(error));
  return !error;
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

/* Take FROM's entry into T's cache. */
static bool take(struct compile_task *t, const struct source *from, const struct signature_keys *keys) {
  autofree char *prefix = xasprintf("%s/" CKJIT_TEMPORARY "%s", t->dir, t->hex), *dir = owned_make(prefix),
                *file = dir ? path_join(dir, "entry.so") : NULL, *err = NULL;
  int fd = file ? open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700) : -1;
  bool copied = fd >= 0 && copy(fd, from, t, &err) && fsync(fd) == 0;
  const char *why = copied ? why_not(fd, t, keys) : NULL;
  bool done =
      copied && !why && !placing_rename(t->placed, t->dir, t->stem, t->id, file) && placing_sync_dir(t->dir);
  if (err)
    warn("%s", err);
  else if (why && *why)
    warn("%s %s: it is not used", from->name, why);
  if (fd >= 0)
    close(fd);
  if (dir)
    owned_remove(dir);
  return done;
}

static bool take_file(struct compile_task *t, const char *path, const struct signature_keys *keys) {
  struct stat st;
  autoclose fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  return fd >= 0 && take(t, &(struct source){path, fd, (uint64_t)st.st_size, NULL}, keys);
}

static bool take_from(struct compile_task *t, const char *dir, const struct signature_keys *keys) {
  char plain[PATH_MAX], keyed[PATH_MAX];
  size_t n = strlen(t->stem);
  if (!ckjit_entry_path(plain, dir, t->stem, n, NULL) || !ckjit_entry_path(keyed, dir, t->stem, n, t->hex))
    return false;
  return take_file(t, plain, keys) || take_file(t, keyed, keys) ||
         (fresh_entry(dir, t->stem, t->id) && (take_file(t, plain, keys) || take_file(t, keyed, keys)));
}

/* From CK_JIT_REMOTE_STORAGE. */
static bool take_stored(struct compile_task *t, const struct signature_keys *keys) {
  struct storage storage;
  char *err;
  if (!storage_open(&storage, STORAGE_PATIENCE, &err)) {
    if (err)
      warn("%s", err);
    free(err);
    return false;
  }
  autofree char *name = xasprintf("CK_JIT_REMOTE_STORAGE: the entry of %s", t->stem);
  bool taken = take(t, &(struct source){.name = name, .fd = -1, .storage = &storage}, keys);
  storage_close(&storage);
  return taken;
}

bool fetch_entry(struct compile_task *t) {
  const char *set = env_get("CK_JIT_CACHE_READONLY_DIR");
  struct signature_keys keys;
  char *err = NULL;
  if (!signature_trusted(&keys, &err)) {
    warn("%s: no signed entry is used", err);
    free(err);
  }
  autofree char *dir = keys.n && set ? path_abs(set) : NULL;
  bool taken = dir && ckjit_readonly_check(dir) && take_from(t, dir, &keys);
  if (!taken && keys.n)
    taken = take_stored(t, &keys);
  signature_keys_free(&keys);
  return taken;
}
