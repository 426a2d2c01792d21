/* lock.h - one compile of a key at a time, among all processes that share the cache.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_LOCK_H
#define CKJIT_COMPILE_LOCK_H

#include "task.h"

/* ---- the turn of one task ---- */

struct lock {
  int fd; /* -1: not held */
  char *path, *failed;
};

enum turn {
  TURN_OURS,   /* compile; the lock is held, or the file system has none */
  TURN_READY,  /* the entry is there */
  TURN_FAILED, /* whoever held the lock while we waited failed */
};

/* Wait for the lock of T. For TURN_FAILED, *WHY is the other's message, or why there can be no lock. */
enum turn lock_enter(struct lock *lock, struct compile_task *t, char **why);
/* End our turn. WHY is the failure that those who wait are told; NULL: success. */
void lock_leave(struct lock *lock, const char *why);
/* whether the cache has what T says */
bool entry_is_there(const struct compile_task *t);

/* ---- one lock file ---- */

/* Lock PATH, waiting for it; *WAITED if somebody else held it. A holder that shows no life for PATIENCE
 * seconds (0: for ever) loses it. *FD is the descriptor; -1 on a file system without locks. */
bool lock_file(int *fd, const char *path, double patience, bool *waited, char **err);
/* Release FD of lock_file, and remove the file unless it is another's by now. */
void lock_release(int fd, const char *path);
/* Show life on all locks that are held: whatever waits long calls it every second or more often. */
void lock_beat(void);

#endif
