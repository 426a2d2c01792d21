/* lock.h - one compile of a key at a time, among all processes that share the cache.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_LOCK_H
#define CKJIT_COMPILE_LOCK_H

#include "task.h"

/* ---- the turn of one task ---- */

struct compile_lock {
  int fd; /* -1: not held */
  char *path, *failed;
};

enum compile_turn {
  COMPILE_OURS,   /* compile; the lock is held, or the file system has none */
  COMPILE_READY,  /* the entry is there */
  COMPILE_FAILED, /* whoever held the lock while we waited failed */
};

/* Wait for the lock of T. For COMPILE_FAILED, *WHY is the other's message, or why there can be no lock. */
enum compile_turn compile_lock_enter(struct compile_lock *lock, struct compile_task *t, char **why);
/* End our turn. WHY is the failure that those who wait are told; NULL: success. */
void compile_lock_leave(struct compile_lock *lock, const char *why);
/* whether the cache has what T says */
bool compile_entry_is_there(const struct compile_task *t);

/* ---- one lock file ---- */

/* Lock PATH, waiting for it; *WAITED if somebody else held it. A holder that shows no life for PATIENCE
 * seconds (0: for ever) loses it. The descriptor; -1 with *WHY NULL on a file system without locks; -1 and
 * *WHY. */
int compile_lock_file(const char *path, double patience, bool *waited, char **why);
/* Release what compile_lock_file gave, and remove the file unless it is another's by now. */
void compile_lock_release(int fd, const char *path);
/* Show life on all locks that are held: whoever waits long calls it every second or more often. */
void compile_lock_beat(void);

#endif
