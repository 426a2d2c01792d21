/* run.h - run the compiler, and say what went wrong in a way that can be acted on.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_RUN_H
#define CKJIT_COMPILE_RUN_H

#include "task.h"

/* Run COMMAND with its output in the file LOG, which also gets the command itself and must not be there
 * yet. The message of a failure has all but the log's final place. */
char *compile_run(const struct compile_task *t, const struct argv *command, const char *log);
/* for --verbose: print COMMAND */
void compile_say(const struct compile_task *t, const struct argv *command);

#endif
