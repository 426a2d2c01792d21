/* place.c - a compiled blob gets its name: all of it or nothing, and nobody else's name is taken away.
 *
 * The compiler writes into a directory of its own beside the output, .tmp-<build id>-<owner>-XXXXXX, which no
 * look-up reads and which is only removed by its owner, or when that is gone (core/cache/owned.c). What it made is checked, written through to the disk and renamed: a reader sees all of it
 * or nothing, even after a crash. In the cache the first comer gets the plain name (RENAME_NOREPLACE).
 * Whoever finds it taken uses the name with the build id, which nobody else can use.
 */
#include "place.h"
#include "unlinked.h"
#include "core/base/path.h"
#include "core/cache/lastlook.h"
#include "core/cache/owned.h"
#include "core/cache/placing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the temporary directory ---- */

char *place_temporary(const struct compile_task *t, char **err) {
  if (t->output_fd >= 0)
    return unlinked_temporary(t, err);
  const char *start = t->cache ? CKJIT_TEMPORARY : CKJIT_BESIDE;
  char *prefix = xasprintf("%s/%s%s", t->dir, start, t->hex), *dir = NULL;
  if (!t->cache || dir_make_own(t->dir)) {
    /* What killed predecessors left: in a cache of this key, the rest goes when we are done (cachedir_tidy). */
    if (!t->cache || lastlook_is_due(t->dir))
      owned_sweep(t->dir, t->cache ? path_base(prefix) : start);
    dir = owned_make(prefix);
  }
  int error = errno;
  free(prefix);
  if (dir)
    return dir;
  char *in_cache = t->cache ? cachedir_why("write to the cache directory", t->dir, error) : NULL;
  if (in_cache)
    task_fail(t, err, "%s", in_cache);
  else
    task_fail(t, err, "cannot write to %s: %s", t->dir, strerror(error));
  free(in_cache);
  return NULL;
}

/* ---- the result ---- */

/* fsync may be interrupted on a network file system. */
static int sync_fd(int fd) {
  int r;
  while ((r = fsync(fd)) && errno == EINTR)
    ;
  return r;
}

/* Put the seal of ck_jit_entry.h behind the SIZE bytes of FD. */
static bool seal(int fd, uint64_t size) {
  struct ckjit_seal s = {.size = size};
  memcpy(s.magic, CKJIT_SEAL_MAGIC, sizeof s.magic);
  if (!ckjit_xxh64(fd, size, &s.hash))
    return false;
  ssize_t n;
  while ((n = pwrite(fd, &s, sizeof s, (off_t)size)) < 0 && errno == EINTR)
    ;
  if (n >= 0 && n < (ssize_t)sizeof s)
    errno = ENOSPC; /* the file system took a part and has no room for the rest */
  return n == (ssize_t)sizeof s;
}

static mode_t current_umask(void) {
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

/* Check what the compiler made, seal it, give it its mode and write it through. */
static bool finish(const struct compile_task *t, const char *file, char **err) {
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  int fd = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return task_fail(t, err, "the compiler %s succeeded but made no output", t->compiler);
  const char *wrong =
      fstat(fd, &st) ? "cannot be examined" : ckjit_elf_read(fd, (uint64_t)st.st_size, id, &kind);
  if (!wrong && memcmp(id, t->id, sizeof id) != 0)
    wrong = "has another build id than requested";
  bool done = false;
  if (wrong)
    task_fail(t, err, "the output of the compiler %s %s; its linker must support --build-id=0xHEX",
              t->compiler, wrong);
  else if (!seal(fd, (uint64_t)st.st_size) || fchmod(fd, (0755 & ~current_umask()) | 0500) || sync_fd(fd))
    task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
  else
    done = true;
  close(fd);
  return done;
}

bool place_seal(const struct compile_task *t, const char *file, const void *bytes, size_t n, char **err) {
  struct stat st;
  int fd = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  bool done =
      (fd >= 0 && fstat(fd, &st) == 0 && pwrite(fd, bytes, n, st.st_size) == (ssize_t)n &&
       seal(fd, (uint64_t)st.st_size + n) && fchmod(fd, 0600 & ~current_umask()) == 0 && sync_fd(fd) == 0) ||
      task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
  if (fd >= 0)
    close(fd);
  return done;
}

static bool place_in_cache(struct compile_task *t, const char *file, char **err) {
  char name[NAME_MAX + 1];
  int error = placing_rename(name, t->dir, t->stem, t->id, file);
  if (error == ENAMETOOLONG)
    return task_fail(t, err, "the name of its cache entry is too long");
  if (error)
    return task_fail(t, err, "cannot make %s/%s: %s", t->dir, name, strerror(error));
  snprintf(t->placed, sizeof t->placed, "%s", name);
  return placing_sync_dir(t->dir) || task_fail(t, err, "cannot write %s: %s", t->dir, strerror(errno));
}

bool place_result(struct compile_task *t, const char *file, char **err) {
  if (!finish(t, file, err))
    return false;
  if (t->output_fd >= 0)
    return unlinked_place(t, file, err);
  if (t->cache)
    return place_in_cache(t, file, err);
  return rename(file, t->output) == 0 || task_fail(t, err, "cannot make %s: %s", t->output, strerror(errno));
}
