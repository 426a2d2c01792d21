/* turn.h - one compile of a key at a time, among all processes that share the cache.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_TURN_H
#define CKJIT_COMPILE_TURN_H

#include "task.h"

struct turn {
  int fd; /* of the lock file; -1: not held */
  char *path, *failed;
  const struct compile_task *t; /* whose it is, borrowed */
};

enum whose {
  /* compile; the lock is held, or the file system has none */
  TURN_OURS,
  TURN_READY, /* the entry is there */
  /* another process compiles it, and T is to be left to that one (unless_busy) */
  TURN_OTHERS,
  /* The process that held the lock while we waited failed, and so would we (failure.h). */
  TURN_FAILED,
};

/* The engine (engine.h), for what needs other entries first. */
typedef bool need_fn(struct compile_task *t, enum whose *whose, char **err);

/* Make OUTPUT of T, with what is in between in TEMPORARY. */
typedef bool make_fn(const struct compile_task *t, const char *temporary, const char *output, char **err);

/* Wait for the turn to compile T. For TURN_FAILED, *WHY is the other's message, or why there can be
 * no lock. */
enum whose turn_take(struct turn *turn, struct compile_task *t, char **why);
/* Ends our turn. WHY is NULL, or *WHY the failure that the waiting processes get. Returns true if
 * the compile failed after we had been given up because we were stopped for too long, which may be
 * the only cause. *WHY is freed then, and the turn must be taken again. */
bool turn_end(struct turn *turn, char **why);
/* whether the cache has what T says; for the call of a function that launches nothing, an entry
 * with it is enough */
bool entry_is_there(const struct compile_task *t);

#endif
