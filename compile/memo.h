/* memo.h - facts about compilers, kept in <cache>/.compilers under a name of any length.
 *
 * A memo is valid only as a whole: its first line has a digest of its name and its text. A memo
 * that is empty, cut short, changed, copied from another name or writable by somebody else is
 * ignored, and its facts are computed again.
 */
#ifndef CKJIT_COMPILE_MEMO_H
#define CKJIT_COMPILE_MEMO_H

#include "task.h"

/* Returns the text that was kept under NAME, followed by a NUL, or NULL if there is no valid memo,
 * or T has no cache. free() it. */
char *memo_read(const struct compile_task *t, const char *name);
/* Keep TEXT under NAME. If that fails, nothing is kept. */
void memo_write(const struct compile_task *t, const char *name, const char *text);

/* The same of a memo elsewhere in the cache: in FILE, written by memofile_write() under NAME. */
char *memo_read_file(const char *file, const char *name);

/* Of all processes that find no memo of NAME, one computes it; the others wait for it. Then they
 * read the memo again: a process that waited finds it; a process that does not find it writes it.
 * To be ended by memo_leave. Errors are ignored: the work is done twice then. */
struct memo_turn {
  int fd;
  char *lock;
};
void memo_enter(struct memo_turn *turn, const struct compile_task *t, const char *name);
void memo_leave(struct memo_turn *turn);

#endif
