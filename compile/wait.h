/* wait.h - waits for a lock during a compile: a signal ends the wait, the lock's holder is notified
 * (tell.h), and the wait appears in the trace. */
#ifndef CKJIT_COMPILE_WAIT_H
#define CKJIT_COMPILE_WAIT_H

#include "core/cache/lock.h"

/* Take the lock PATH as lock_take does, by the patience of HOW, and until it is over. False: *ERR.
 * *FD may be -1 even so. */
bool wait_for_lock(int *fd, const char *path, const struct lock_wait *how, bool *waited, char **err);

#endif
