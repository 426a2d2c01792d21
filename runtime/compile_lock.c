/* compile_lock.c - of all processes that want one key, one compiles.
 *
 * <cache>/.locks/<build id> is locked with flock: the kernel releases it when its holder dies, however it
 * dies. The descriptor is closed on exec, so neither a compiler that outlives us nor a daemon that it started
 * (sccache's server) holds it. The file is removed by whoever is done with it; one who waited on a removed
 * file sees that, and starts over with the new one.
 *
 * A failure must reach everybody who waited for it. If each of sixteen processes compiled in turn what takes
 * three minutes and cannot succeed, the last would be told after an hour. So a failed holder leaves its
 * message in <build id>.failed, with a stamp of its own in the first line. Who finds, with the lock, another
 * stamp than before it asked for the lock has waited for that very failure. Who comes later finds the stamp
 * that it saw before, and compiles. Stamps are compared, not ordered: no clock of another machine, and no
 * coarse time of a file, matters.
 */
#include "compile.h"
#include "core/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The text of the failure file, "" where there is none. free() it. */
static char *read_failure(const char *path) {
  size_t len;
  char *text = file_read(path, &len);
  return text ? text : xstrdup("");
}

static bool same_stamp(const char *a, const char *b) {
  size_t n = strcspn(a, "\n");
  return n == strcspn(b, "\n") && memcmp(a, b, n) == 0;
}

static void write_failure(const char *path, const char *why) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char *text = xasprintf("%ld %lld.%09ld\n%s", (long)getpid(), (long long)now.tv_sec, now.tv_nsec, why);
  file_write(path, text, strlen(text), 0600); /* where it fails, those who wait compile themselves */
  free(text);
}

static bool entry_is_there(const struct compile_task *t) {
  char path[PATH_MAX];
  const char *why;
  return ckjit_entry_find(path, t->dir, t->stem, strlen(t->stem), t->id, &why);
}

/* whether FD is still what PATH names */
static bool is_current(int fd, const char *path) {
  struct stat ours, named;
  return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

int compile_lock_file(const char *path, bool *waited, char **why) {
  *waited = false;
  *why = NULL;
  for (;;) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
      *why = xasprintf("cannot make the lock file %s: %s", path, strerror(errno));
      return -1;
    }
    int r = flock(fd, LOCK_EX | LOCK_NB);
    *waited |= r && errno == EWOULDBLOCK;
    while (r && (errno == EINTR || errno == EWOULDBLOCK)) {
      compile_stop_check();
      r = flock(fd, LOCK_EX);
    }
    if (r) {
      /* Without locks several may compile the same, and each gives its result the name at once. */
      warn("%s: cannot be locked (%s): going on without", path, strerror(errno));
      close(fd);
      return -1;
    }
    if (is_current(fd, path))
      return fd;
    close(fd);
  }
}

/* Make DIR and its .locks, for the user alone. */
static char *make_dirs(const char *dir, const char *locks) {
  mode_t mask = umask(077);
  int r = dir_make(locks), e = errno;
  umask(mask);
  return r ? xasprintf("cannot make the cache directory %s: %s", dir, strerror(e)) : NULL;
}

static void lock_free(struct compile_lock *lock) {
  if (lock->fd >= 0)
    close(lock->fd);
  free(lock->path);
  free(lock->failed);
  *lock = (struct compile_lock){.fd = -1};
}

enum compile_turn compile_lock_enter(struct compile_lock *lock, const struct compile_task *t, char **why) {
  *lock = (struct compile_lock){.fd = -1};
  if (entry_is_there(t))
    return COMPILE_READY;
  char *locks = path_join(t->dir, CKJIT_LOCKS);
  *why = make_dirs(t->dir, locks);
  lock->path = path_join(locks, t->hex);
  lock->failed = xasprintf("%s.failed", lock->path);
  free(locks);
  if (*why)
    return COMPILE_FAILED;
  char *before = read_failure(lock->failed);
  bool waited;
  lock->fd = compile_lock_file(lock->path, &waited, why);
  char *after = read_failure(lock->failed);
  enum compile_turn turn = COMPILE_OURS;
  if (*why) {
    turn = COMPILE_FAILED;
  } else if (entry_is_there(t)) {
    turn = COMPILE_READY;
  } else if (*after && !same_stamp(before, after)) {
    *why = xstrdup(after + strcspn(after, "\n") + (strchr(after, '\n') != NULL));
    turn = COMPILE_FAILED;
  }
  free(before);
  free(after);
  if (turn != COMPILE_OURS) {
    if (lock->fd >= 0)
      unlink(lock->path);
    lock_free(lock);
  }
  return turn;
}

void compile_lock_leave(struct compile_lock *lock, const char *why) {
  if (why)
    write_failure(lock->failed, why);
  else
    unlink(lock->failed);
  if (lock->fd >= 0)
    unlink(
        lock->path); /* while it is locked: nobody can have locked the next file of this name for this turn */
  lock_free(lock);
}
