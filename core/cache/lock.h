/* lock.h - a lock file: of all processes that want it one holds it, and none can remove the lock of
 * another.
 *
 * This is the one owner of lock files. ckjit-compile waits for a key or a precompiled header
 * (compile/turn.c, compile/pch.c), cachedir.c and times.c for the right to tidy up; ckjit-prebuild
 * removes remains.
 *
 * On a file system that keeps locks within a machine, a lock is two: flock among the processes of
 * the machine, and a lease (lease.h) among machines, which one process of each asks for.
 *
 * Errors: a message in *ERR, which is the caller's to free(). Thread safety: none. Between
 * processes: everything here may happen at once, on one machine or on several.
 */
#ifndef CKJIT_LOCK_H
#define CKJIT_LOCK_H

#include "core/base/base.h"

enum lock_state {
  LOCK_OURS, /* this process holds it */
  /* lock_take: no lock is possible, continue without; lock_try: there is no such file */
  LOCK_NONE,
  /* lock_try: another process holds it, or that is unknown; lock_take without waiting: another
   * process holds it */
  LOCK_HELD,
  LOCK_FAILED, /* lock_take: with *ERR */
};

/* how a process waits */
struct lock_wait {
  /* seconds without a sign of life after which a holder is given up; 0: never */
  double patience;
  /* begin or end to interrupt system calls, some five times a second; NULL: poll */
  void (*interrupt)(bool);
  void (*look)(void); /* called at each look; may be NULL */
  bool at_once;       /* do not wait: LOCK_HELD */
  /* A lease has gone: is what it was waited for there? Then LOCK_NONE, for this machine may believe
   * for a while that the lease exists. May be NULL. */
  bool (*over)(const void *data);
  const void *data;
};

/* Make PATH if it does not exist, and wait for its lock. *FD is its descriptor, or -1; *WAITED
 * whether another process held it. From then on until lock_release this process shows life. */
enum lock_state lock_take(int *fd, const char *path, const struct lock_wait *how, bool *waited,
                          char **err);
/* The same without waiting, without a sign of life, and only if there is such a file. */
enum lock_state lock_try(int *fd, const char *path);
/* The same for a file that is made if it does not exist. */
enum lock_state lock_try_new(int *fd, const char *path);
/* Release it (FD may be -1) and remove the file, unless PATH is another file already: then this
 * process was given up. */
void lock_release(int fd, const char *path);
/* Remove PATH unless a process holds it. False with errno: it still exists, but nobody holds it. */
bool lock_remove(const char *path);

/* Is PATH still the file that this process holds as FD? False: another process saw no sign of life
 * and has taken the lock. */
bool lock_is_current(int fd, const char *path);
/* If it is, call ACTION(DATA), and let nobody take the lock until that returns: for a few system
 * calls that only the holder may make. It is called without a lock (FD is -1) as well. False: it
 * was not called. */
bool lock_protect(int fd, const char *path, void (*action)(void *), void *data);

#endif
