/* memo.h - what was learnt about compilers, kept in <cache>/.compilers under a name of any length.
 *
 * A memo is believed only as a whole: its first line has a digest of its name and its text. One that is empty,
 * cut short, changed, copied from another name or writable by somebody else is none, and what it said is worked
 * out again.
 */
#ifndef CKJIT_COMPILE_MEMO_H
#define CKJIT_COMPILE_MEMO_H

#include "task.h"

/* What was kept under NAME, with a NUL behind it; NULL: nothing that can be believed, or T has no cache.
 * free() it. */
char *memo_read(const struct compile_task *t, const char *name);
/* Keep TEXT under NAME. If that fails, nothing is kept. */
void memo_write(const struct compile_task *t, const char *name, const char *text);

/* Of all processes that find no memo of NAME one works it out: wait for that one. Then read the memo again: who waited finds it, and whoever
 * does not writes it. To be ended by memo_leave. Errors are ignored: the work is done twice then. */
struct memo_turn {
  int fd;
  char *lock;
};
void memo_enter(struct memo_turn *turn, const struct compile_task *t, const char *name);
void memo_leave(struct memo_turn *turn);

#endif
