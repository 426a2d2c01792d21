/* lock.h - a lock file: of all processes that want it one holds it, and none takes away what
 * another holds.
 *
 * The one owner of lock files. ckjit-compile waits for a key or a precompiled header
 * (compile/turn.c, compile/pch.c), cachedir.c and times.c for the right to tidy up; ckjit-prebuild
 * removes what is left.
 *
 * Errors: with a message in *ERR, which is the caller's to free(). Thread safety: none. Between
 * processes: everything here may happen at once, on one machine or on several.
 */
#ifndef CKJIT_LOCK_H
#define CKJIT_LOCK_H

#include "core/base/base.h"

enum lock_state {
  LOCK_OURS, /* it is held by us */
  LOCK_NONE, /* lock_take: there is none to be had, go on without; lock_try: there is no such file */
  LOCK_HELD, /* of lock_try: by another process, or it cannot be told; of lock_take, if it does not wait: by another */
  LOCK_FAILED, /* of lock_take: with *ERR */
};

/* how a process waits */
struct lock_wait {
  double patience;         /* seconds without a sign of life after which a holder is given up; 0: never */
  void (*interrupt)(bool); /* begin or end to interrupt system calls, some five times a second; NULL: poll */
  void (*look)(void);      /* called each time; may be NULL */
  bool at_once;            /* do not wait: LOCK_HELD */
};

/* Make PATH if it is not there, and wait for its lock. *FD is its descriptor, or -1; *WAITED whether another
 * process held it. From then on to lock_release we show life. */
enum lock_state lock_take(int *fd, const char *path, const struct lock_wait *how, bool *waited, char **err);
/* The same without waiting, without a sign of life, and only if there is such a file. */
enum lock_state lock_try(int *fd, const char *path);
/* End it (FD may be -1) and remove the file, unless that is another one by now: then we were given up. */
void lock_release(int fd, const char *path);
/* Remove PATH unless a process holds it. False with errno: there it is, and nobody holds it. */
bool lock_remove(const char *path);

/* Is PATH still what we hold as FD? False: another process found us without life and has taken it. */
bool lock_is_current(int fd, const char *path);
/* Call ACTION(DATA) if it is, and let nobody take it until that returns: for the few system calls of which
 * the effect is the holder's alone. Without a lock (FD is -1) it is called as well. False: it was not. */
bool lock_protect(int fd, const char *path, void (*action)(void *), void *data);

#endif
