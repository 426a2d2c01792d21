/* engine.h - what a task asks for: found in the cache, or made.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_ENGINE_H
#define CKJIT_COMPILE_ENGINE_H

#include "turn.h"

/* Have what T says in the cache: find it, or take the turn, make what it needs first, make it,
 * verify it and give it its name. *WHOSE: who has made it. False with TURN_OTHERS: another process
 * is at it, and that is no error. Without a cache it is made. */
bool need(struct compile_task *t, enum whose *whose, char **err);

#endif
