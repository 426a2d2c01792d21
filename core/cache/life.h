/* life.h - signs of life: the time stamp of each lock file and directory (owned.h) that this
 * process holds changes about once a second, so that other processes see that it is not stopped.
 *
 * Thread safety: none, except for the thread that life.c starts.
 */
#ifndef CKJIT_LIFE_H
#define CKJIT_LIFE_H

#include <sys/types.h>

/* Change the time stamp of FD's file about once a second until life_end, in a thread, whatever this
 * process is doing. */
void life_begin(int fd);
/* The same for a file whose content others watch: write 16 changing digits at AT through to the
 * server. */
void life_begin_at(int fd, off_t at);
void life_end(int fd);
/* Change it now: for a process without a thread, in its waiting loop. */
void life_beat(void);
/* Change it several times in PATIENCE seconds, after which other processes give up a silent holder.
 * 0: they wait for ever. */
void life_within(double patience);

#endif
