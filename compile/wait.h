/* wait.h - waits for a lock during a compile: a signal ends the wait, the lock's holder is notified
 * (tell.h), and the wait appears in the trace. */
#ifndef CKJIT_COMPILE_WAIT_H
#define CKJIT_COMPILE_WAIT_H

#include <stdbool.h>

/* Take the lock PATH as lock_take does, within PATIENCE seconds. False: *ERR. *FD may be -1 even
 * so. */
bool wait_for_lock(int *fd, const char *path, double patience, bool *waited, char **err);

#endif
