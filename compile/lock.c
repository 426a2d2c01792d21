/* lock.c - of all processes that want one key, one compiles.
 *
 * <cache>/.locks/<build id> is locked with flock: the kernel releases it when its holder dies, however it
 * dies. The descriptor is closed on exec, so neither a compiler that outlives us nor a daemon that it has
 * started (sccache's server) holds it. Whoever is done with the file removes it; whoever waited on a removed
 * file sees that, and starts over with the new one.
 *
 * A holder that was stopped (SIGSTOP, a suspended container) holds its lock and does nothing. So a holder
 * shows life: it changes the time stamp of the lock file every second. A process that waits and sees no
 * change for CK_JIT_LOCK_PATIENCE seconds removes the file and locks a new one. When the stopped holder goes
 * on, it finds that its directory is gone, or gives its result a name that has the same code by now.
 *
 * A failure must reach everybody who waited for it. If each of sixteen processes compiled in turn what takes
 * three minutes and cannot succeed, the last would be told after an hour. So a holder that fails leaves its
 * message in <build id>.failed, with a stamp of its own in the first line. A process that gets the lock and
 * finds another stamp than before it asked for it has waited for that very failure. A process that comes
 * later finds the stamp that it saw before, and compiles.
 *
 * Stamps are only compared for being equal, never ordered. So neither another machine's clock nor the
 * coarse time stamps of a file system matter.
 */
#include "lock.h"
#include "child.h"
#include "object.h"
#include "trace.h"
#include "variant.h"
#include "abi/ck_jit_clock.h"
#include "core/base/path.h"
#include "core/base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* the text of the failure file, "" if there is none; free() it */
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
  file_write(path, text, strlen(text), 0600); /* if it fails, those who wait compile themselves */
  free(text);
}

bool entry_is_there(const struct compile_task *t) {
  char path[PATH_MAX];
  const char *why;
  if (t->fragment)
    return object_is_there(t);
  return ckjit_entry_find(path, t->dir, t->stem, strlen(t->stem), t->id, &why);
}

/* whether FD is still what PATH names */
static bool is_current(int fd, const char *path) {
  struct stat ours, named;
  return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

/* ---- signs of life ---- */

enum { MOST_HELD = 64 };
static int held[MOST_HELD]; /* descriptors + 1; 0: free */

static void hold(int fd) {
  for (int i = 0; i < MOST_HELD; i++)
    if (!held[i]) {
      held[i] = fd + 1;
      return;
    }
}

void lock_beat(void) {
  static time_t last;
  time_t seconds = time(NULL);
  if (seconds == last)
    return;
  last = seconds;
  for (int i = 0; i < MOST_HELD; i++)
    if (held[i])
      futimens(held[i] - 1, NULL);
}

void lock_release(int fd, const char *path) {
  if (fd < 0)
    return;
  for (int i = 0; i < MOST_HELD; i++)
    if (held[i] == fd + 1)
      held[i] = 0;
  /* While we hold it: from here on others lock the next file of this name. */
  if (is_current(fd, path))
    unlink(path);
  close(fd);
}

/* what is seen of a holder while we wait for it */
struct watch {
  struct timespec stamp; /* of the lock file */
  double since;          /* when it was first seen, ckjit_seconds; 0: not yet */
};

/* Whether the holder of FD has shown no life for PATIENCE seconds. */
static bool is_stopped(struct watch *w, int fd, double patience) {
  struct stat st;
  double now = ckjit_seconds();
  if (patience <= 0 || fstat(fd, &st))
    return false;
  if (w->since == 0 || st.st_mtim.tv_sec != w->stamp.tv_sec || st.st_mtim.tv_nsec != w->stamp.tv_nsec) {
    w->stamp = st.st_mtim;
    w->since = now;
  }
  return now - w->since > patience;
}

/* flock, however long it takes; true: it is ours. Errno is EWOULDBLOCK if its holder was given up. */
static bool lock_wait(int fd, double patience, bool *waited) {
  struct watch watch = {0};
  int r = flock(fd, LOCK_EX | LOCK_NB);
  bool others = r && errno == EWOULDBLOCK;
  uint64_t start = trace_now();
  *waited |= others;
  ticks(true);
  while (r && (errno == EINTR || errno == EWOULDBLOCK)) {
    stop_check();
    lock_beat();
    if (is_stopped(&watch, fd, patience)) {
      errno = EWOULDBLOCK;
      break;
    }
    r = flock(fd, LOCK_EX);
  }
  int e = errno;
  ticks(false);
  if (others)
    compile_trace_span("wait", start, r ? "not ours" : "0");
  errno = e;
  return r == 0;
}

bool lock_file(int *locked, const char *path, double patience, bool *waited, char **err) {
  *waited = false;
  *locked = -1;
  for (;;) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == EINTR)
      continue;
    if (fd < 0) {
      *err = cachedir_why("make the lock file", path, errno);
      return false;
    }
    bool ours = lock_wait(fd, patience, waited);
    if (ours && is_current(fd, path)) {
      hold(fd);
      futimens(fd, NULL);
      *locked = fd;
      return true;
    }
    if (!ours && errno != EWOULDBLOCK) {
      /* Without locks several may compile the same, and each gives its result the name at once. */
      warn("%s: cannot be locked (%s): going on without", path, strerror(errno));
      close(fd);
      return true;
    }
    if (!ours && is_current(fd, path)) {
      warn("%s: the holder of this lock has given no sign of life for %g s: going on without it", path,
           patience);
      unlink(path);
    }
    close(fd);
  }
}

/* ---- the turn ---- */

static void lock_free(struct lock *lock) {
  lock_release(lock->fd, lock->path);
  free(lock->path);
  free(lock->failed);
  *lock = (struct lock){.fd = -1};
}

static bool open_locks(struct lock *lock, const struct compile_task *t, char **err) {
  char *locks = path_join(t->dir, CKJIT_LOCKS);
  bool done = cachedir_open(locks, err);
  lock->path = path_join(locks, t->hex);
  lock->failed = xasprintf("%s.failed", lock->path);
  free(locks);
  return done;
}

/* Whose turn it is once we have waited, BEFORE and AFTER being the failure file's texts. */
static enum turn decide(const struct compile_task *t, const char *before, const char *after, char **err) {
  if (entry_is_there(t))
    return TURN_READY;
  if (!*after || same_stamp(before, after))
    return TURN_OURS;
  *err = xstrdup(after + strcspn(after, "\n") + (strchr(after, '\n') != NULL));
  return TURN_FAILED;
}

enum turn lock_enter(struct lock *lock, struct compile_task *t, char **err) {
  *lock = (struct lock){.fd = -1};
  if (!cachedir_open(t->dir, err))
    return TURN_FAILED;
  if (entry_is_there(t))
    return TURN_READY;
  enum turn turn = TURN_FAILED;
  if (open_locks(lock, t, err)) {
    bool waited;
    char *before = read_failure(lock->failed);
    if (lock_file(&lock->fd, lock->path, t->patience, &waited, err)) {
      char *after = read_failure(lock->failed);
      if (waited)
        variant_identify(t);
      turn = decide(t, before, after, err);
      free(after);
    }
    free(before);
  }
  if (turn != TURN_OURS)
    lock_free(lock);
  return turn;
}

void lock_leave(struct lock *lock, const char *why) {
  bool ours = lock->fd < 0 || is_current(lock->fd, lock->path);
  if (why && ours)
    write_failure(lock->failed, why);
  else if (ours)
    unlink(lock->failed);
  lock_free(lock);
}
