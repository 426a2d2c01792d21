/* life.h - signs of life: the time stamps of what we hold, a lock file or a directory (owned.h), change about once a second, so
 * that others see that we are not stopped.
 *
 * Thread safety: none but for the thread that life.c starts itself.
 */
#ifndef CKJIT_LIFE_H
#define CKJIT_LIFE_H

/* Change the time stamp of what FD is open on about once a second, in a thread, however long we are in
 * whatever else; until life_end. */
void life_begin(int fd);
void life_end(int fd);
/* Do it now: for a process that got no thread, from wherever it waits. */
void life_beat(void);
/* Do it several times in PATIENCE seconds, as long as our own kind waits for a sign; 0: for ever. */
void life_within(double patience);

#endif
