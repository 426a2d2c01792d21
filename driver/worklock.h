/* worklock.h - one command at a time works in a work directory, and one makes a fake home.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_WORKLOCK_H
#define CKJIT_DRIVER_WORKLOCK_H

#include "core/base/base.h"

/* In the work directory; it stays, and marks the directory as ckjit's. */
#define WORK_LOCK_FILE ".ckjit-lock"
/* The same in a fake home, which may be a work directory as well. */
#define HOME_LOCK_FILE ".ckjit-home-lock"

/* Lock the work directory WORK until this process ends. If another process has it, a note says
 * which, and this waits. */
void work_lock(const char *work);
/* Whether commands that are started from now on hold the lock too, so that it lasts until they have
 * ended, even if this process is killed. */
void work_lock_share(bool share);

/* Lock the fake home DIR, which exists, while it is made or refreshed; builds that run in it do not
 * take the lock. */
void home_lock(const char *dir);
void home_unlock(void);

#endif
