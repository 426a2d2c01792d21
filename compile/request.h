/* request.h - from the command line to a task with nothing left open.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_REQUEST_H
#define CKJIT_COMPILE_REQUEST_H

#include "task.h"

/* Work out T from the options, reading the manifest in manifest mode. task_free in either case. */
bool request_read(struct compile_task *t, const struct compile_options *o, char **err);

#endif
