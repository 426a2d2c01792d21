/* life.h - signs of life: the time stamp of each lock file and directory (owned.h) that we hold
 * changes about once a second, so that other processes see that we are not stopped.
 *
 * Thread safety: none but for the thread that life.c starts itself.
 */
#ifndef CKJIT_LIFE_H
#define CKJIT_LIFE_H

/* Change the time stamp of what FD is open on about once a second, in a thread, however long we
 * are in whatever else; until life_end. */
void life_begin(int fd);
void life_end(int fd);
/* Do it now: for a process that got no thread, from wherever it waits. */
void life_beat(void);
/* Do it several times in PATIENCE seconds: as long as other processes wait for a sign of life. 0:
 * they wait for ever. */
void life_within(double patience);

#endif
