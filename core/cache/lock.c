/* lock.c - see lock.h.
 *
 * A lock file is locked with flock: the kernel releases it when its holder dies, however it dies.
 * The descriptor is closed on exec, so neither a compiler that outlives this process nor a daemon
 * that it has started (sccache's server) holds it. The last user of the file removes it; a process
 * that waited on a removed file notices that, and starts over with the new file of that name.
 *
 * A holder that was stopped (SIGSTOP, a suspended container) holds its lock and does nothing. So a
 * holder shows life: the time stamp of the file changes about once a second. A process that sees no
 * change until its patience ends removes the file and locks a new one. Two mistakes must not happen
 * there.
 *
 * - Removing the wrong file. The patience of many may end at the same moment. The first removes the
 *   file and locks a new one; a second that removed *the file of that name* would remove that, and
 *   two would compile. So a process removes a name only while it holds flock on the directory of
 *   lock files, and after checking under that lock that the name still refers to the file that it
 *   has judged. The lock is held for a few system calls. If a process is stopped just then, the
 *   others do not wait for ever: nothing is removed, and they continue without a lock. On network
 *   file systems a directory's flock is local to a machine: then processes on several machines may
 *   compile the same entry, and each places a whole result.
 *
 * - Taking a living holder for a stopped one. An fsync on a slow disk takes longer than the
 *   patience. So a thread shows life (life.h). Time in which the waiting process was itself stopped
 *   does not count; otherwise after a suspend of the machine all would find each other dead.
 *
 * Stamps are only compared for equality, never ordered. So neither another machine's clock nor the
 * coarse time stamps of a file system matter.
 */
#include "lock.h"
#include "cachedir.h"
#include "holder.h"
#include "lease.h"
#include "life.h"
#include "sharedlocks.h"
#include "abi/ck_jit_clock.h"
#include "abi/ck_jit_file.h"
#include "core/base/directory.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* the leases of the locks that this process holds, by descriptor of the lock */
static struct held {
  int fd;
  struct lease lease;
} * leases;
static size_t nleases;

static struct held *lease_of(int fd) {
  for (size_t i = 0; i < nleases; i++)
    if (leases[i].fd == fd)
      return &leases[i];
  return NULL;
}

bool lock_is_current(int fd, const char *path) {
  struct stat ours, named;
  const struct held *held = lease_of(fd);
  if (held)
    return lease_is_current(&held->lease);
  return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

/* ---- the directory's lock, under which names are removed ---- */

enum { GUARD_NONE = -1, GUARD_REFUSED = -2 }; /* the file system has none; it cannot be taken */
enum { GUARD_SECONDS = 5 };                   /* its holder needs microseconds */

static int guard_enter(const char *path) {
  autofree char *dir = path_dir(path);
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = -1;
  if (fd < 0)
    return GUARD_REFUSED;
  double end = ckjit_seconds() + GUARD_SECONDS;
  for (long ms = 1; (r = flock(fd, LOCK_EX | LOCK_NB)) && (errno == EWOULDBLOCK || errno == EINTR);
       ms = ms < 20 ? 2 * ms : ms) {
    if (ckjit_seconds() > end)
      break;
    sleep_ms(ms);
  }
  if (r == 0)
    return fd;
  int refused = errno == EWOULDBLOCK || errno == EINTR ? GUARD_REFUSED : GUARD_NONE;
  close(fd);
  return refused;
}

static void guard_leave(int guard) {
  if (guard >= 0)
    close(guard);
}

bool lock_protect(int fd, const char *path, void (*action)(void *), void *data) {
  int guard = fd < 0 || lease_of(fd) ? GUARD_NONE : guard_enter(path);
  bool ours = fd < 0 || (guard != GUARD_REFUSED && lock_is_current(fd, path));
  if (ours)
    action(data);
  guard_leave(guard);
  return ours;
}

struct removal {
  const char *path;
  int error;
};

static void remove_name(void *data) {
  struct removal *r = data;
  r->error = unlink(r->path) ? errno : 0;
}

/* ---- waiting ---- */

/* the observed life of a holder */
struct watch {
  struct timespec stamp; /* of the lock file */
  /* Time of the last look by ckjit_seconds, 0: none; seconds without a change. */
  double last, silent;
};

static bool same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Whether the holder of FD has shown no life for PATIENCE seconds. */
static bool is_silent(struct watch *w, int fd, double patience) {
  const double longest = 1; /* between two looks; after a longer gap this process was stopped */
  struct stat st;
  double now = ckjit_seconds();
  if (patience <= 0 || fstat(fd, &st))
    return false;
  if (w->last == 0 || !same_time(&st.st_mtim, &w->stamp))
    *w = (struct watch){.stamp = st.st_mtim};
  else
    w->silent += now - w->last < longest ? now - w->last : longest;
  w->last = now;
  return w->silent > patience;
}

static int flock_wait(int fd, const struct lock_wait *how) {
  if (how->interrupt)
    return flock(fd, LOCK_EX);
  sleep_ms(20);
  return flock(fd, LOCK_EX | LOCK_NB);
}

/* Wait for FD: 0, errno, or EWOULDBLOCK if its holder is SILENT. */
static int wait_for(int fd, const struct lock_wait *how, struct watch *watch, bool *waited) {
  int error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
  if (error != EWOULDBLOCK && error != EINTR)
    return error;
  *waited |= error == EWOULDBLOCK || how->at_once;
  if (how->at_once)
    return EWOULDBLOCK;
  if (how->interrupt)
    how->interrupt(true);
  do {
    if (how->look)
      how->look();
    life_beat();
    if (is_silent(watch, fd, how->patience))
      error = EWOULDBLOCK;
    else
      error = flock_wait(fd, how) ? errno : 0;
  } while ((error == EINTR || error == EWOULDBLOCK) && watch->silent <= how->patience);
  if (how->interrupt)
    how->interrupt(false);
  return error;
}

/* ---- taking ---- */

/* Remove PATH, FD's file, whose holder is silent by WATCH. False: the file cannot be removed
 * safely. */
static bool give_up(int fd, const char *path, const struct watch *watch, double patience) {
  struct stat st;
  int guard = guard_enter(path);
  bool stands = guard != GUARD_REFUSED && lock_is_current(fd, path) && fstat(fd, &st) == 0 &&
                same_time(&st.st_mtim, &watch->stamp);
  if (stands) {
    warn("%s: the holder of this lock has shown no sign of life for %g s: continuing without it",
         path, patience);
    unlink(path);
  }
  guard_leave(guard);
  return guard != GUARD_REFUSED;
}

/* Take or wait for one file. LOCK_HELD: try again, with the file that has the name then. */
static enum lock_state take_file(int fd, const char *path, const struct lock_wait *how,
                                 bool *waited) {
  struct watch watch = {0};
  int error = wait_for(fd, how, &watch, waited);
  if (error == 0)
    return lock_is_current(fd, path) ? LOCK_OURS : LOCK_HELD;
  if (error != EWOULDBLOCK && error != EINTR)
    return LOCK_OURS; /* there are no locks here: a lease will do */
  if (how->at_once || give_up(fd, path, &watch, how->patience))
    return LOCK_HELD;
  warn("%s: the holder of this lock has shown no sign of life for %g s, nor has its successor: "
       "continuing without a lock",
       path, how->patience);
  return LOCK_NONE;
}

/* A client of a network file system caches names and attributes. If another client has removed the
 * file or its directory, the server is asked to open a removed file: it answers ENOENT in spite of
 * O_CREAT (sshfs), or ESTALE (NFS). Making the directory, or reading it if it exists, makes the
 * client look again. */
static bool look_again(const char *path, char **err) {
  autofree char *dir = path_dir(path);
  bool there = cachedir_open(dir, err);
  autoclose_dir *d = there ? opendir(dir) : NULL;
  while (d && readdir(d))
    ;
  return there;
}

enum { LATE_TRIES = 5, LATE_MS = 10 }; /* 20, 40, 80 and 160 ms, and at once first: 0.3 s */

/* Open PATH, and make it if it does not exist. *FD is -1, with errno in *ERROR, if the file system
 * does not find it for that long. False with *ERR. */
static bool open_file(int *fd, int *error, const char *path, char **err) {
  for (int tries = 0;; tries++) {
    do
      *fd = ckjit_open_cached(path, O_RDWR | O_CREAT, 0600, UINT64_MAX, NULL);
    while (*fd < 0 && errno == EINTR);
    *error = *fd < 0 ? errno : 0;
    if (*error && *error != ENOENT && *error != ESTALE) {
      *err = cachedir_why("make the lock file", path, *error);
      return false;
    }
    if (!*error || tries == LATE_TRIES)
      return true;
    if (!look_again(path, err))
      return false;
    if (tries)
      sleep_ms(LATE_MS << tries);
  }
}

/* How often a file that nobody has locked is not the one of its name: once, if another process has
 * just removed it; for ever, where files are made and not found. */
enum { LOST_TRIES = 100 };

/* FD's file is ours, of all processes of this machine: take the lease, if one is needed. If it is
 * not ours, the lock is released. LOCK_OURS without a lease if none can be made. */
static enum lock_state take_lease(int fd, const char *path, const struct lock_wait *how,
                                  bool *waited) {
  struct held held = {.fd = fd};
  bool warned;
  bool locks = flock(fd, LOCK_EX | LOCK_NB) == 0; /* it is ours already, if there are locks */
  if (locks && locks_are_shared(fd))
    return LOCK_OURS;
  if (!how->at_once)
    life_begin(fd);
  enum lock_state state = lease_take(&held.lease, path, how, waited, &warned);
  if (!how->at_once)
    life_end(fd);
  if (state == LOCK_OURS)
    vec_push(leases, nleases, held);
  return warned ? LOCK_OURS : state;
}

enum lock_state lock_take(int *locked, const char *path, const struct lock_wait *how, bool *waited,
                          char **err) {
  *waited = false;
  *locked = -1;
  life_within(how->patience);
  for (unsigned lost = 0; lost < LOST_TRIES;) {
    int fd, error;
    bool waits = false;
    if (lost > 1)
      sleep_ms(LATE_MS);
    if (!open_file(&fd, &error, path, err))
      return LOCK_FAILED;
    if (fd < 0) {
      warn("%s: cannot be made (%s), though its directory exists: continuing without a lock", path,
           strerror(error));
      return LOCK_NONE;
    }
    enum lock_state state = take_file(fd, path, how, &waits);
    *waited |= waits;
    lost = waits ? 0 : lost + 1;
    bool leased = state == LOCK_OURS;
    if (leased)
      state = take_lease(fd, path, how, waited);
    if (state == LOCK_OURS) {
      holder_write(fd);
      life_begin(fd);
      *locked = fd;
      return state;
    }
    close(fd);
    if (leased || state == LOCK_NONE || (how->at_once && *waited))
      return state;
  }
  warn("%s: is made, and not found: continuing without a lock", path);
  return LOCK_NONE;
}

enum lock_state lock_try(int *locked, const char *path) {
  *locked = -1;
  for (;;) {
    int fd = ckjit_open_cached(path, O_RDWR, 0, UINT64_MAX, NULL);
    if (fd < 0)
      return errno == ENOENT || errno == ENOTDIR ? LOCK_NONE : LOCK_HELD;
    const struct lock_wait at_once = {.at_once = true};
    bool waited, ours = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                 current = ours && lock_is_current(fd, path);
    ours = ours && (!current || take_lease(fd, path, &at_once, &waited) == LOCK_OURS);
    if (ours && current) {
      *locked = fd;
      return LOCK_OURS;
    }
    close(fd);
    if (!ours)
      return LOCK_HELD;
  }
}

enum lock_state lock_try_new(int *locked, const char *path) {
  int fd = ckjit_open_cached(path, O_RDWR | O_CREAT, 0600, UINT64_MAX, NULL);
  if (fd >= 0)
    close(fd);
  return lock_try(locked, path);
}

void lock_release(int fd, const char *path) {
  if (fd < 0)
    return;
  life_end(fd);
  /* while the lock is held: from now on others lock the next file */
  lock_protect(fd, path, remove_name, &(struct removal){.path = path});
  struct held *held = lease_of(fd);
  if (held) {
    lease_release(&held->lease);
    *held = leases[--nleases];
  }
  close(fd);
}

bool lock_remove(const char *path) {
  struct removal r = {.path = path};
  int fd;
  if (lock_try(&fd, path) != LOCK_OURS)
    return true;
  lock_protect(fd, path, remove_name, &r);
  lock_release(fd, path);
  errno = r.error;
  return !r.error || r.error == ENOENT;
}
