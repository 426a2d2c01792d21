/* run.h - run the compiler, and say what went wrong in a way that can be acted on.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_RUN_H
#define CKJIT_COMPILE_RUN_H

#include "task.h"

/* Run COMMAND with its output in the file LOG, which also gets the command itself and must not be
 * there yet. The message of a failure has all but the log's final place. */
bool run_command(const struct compile_task *t, const struct argv *command, const char *log, char **err);
/* for --verbose: print COMMAND */
void say_command(const struct compile_task *t, const struct argv *command);

#endif
