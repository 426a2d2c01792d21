/* child.h - the processes that a compile starts; being told to stop; time limits.
 *
 * The state is the process's: one set of children, one time limit. Units: seconds. Errors: 0 or an errno.
 */
#ifndef CKJIT_COMPILE_CHILD_H
#define CKJIT_COMPILE_CHILD_H

#include "core/base/argv.h"

#include <sys/types.h>

/* ---- children ---- */

enum { COMPILE_CHILDREN = 16 }; /* at the same time */

struct child {
  const struct argv *command;
  /* Called in the child before COMMAND: -1 to go on, or the exit status, and COMMAND is not started. May be
   * NULL. */
  int (*prepare)(void *data);
  void *data;
};

/* Start COMMAND, whose first word is a path, its output into LOG, in a process group of its own. 0 or an
 * errno. */
int compile_child_start(pid_t *pid, const struct argv *command, char *const *env, int log);
/* the same, with something to be done first */
int compile_child_prepare(pid_t *pid, const struct child *c, char *const *env, int log);
/* Wait for any of them; -1: there is none. */
pid_t compile_child_wait(int *status);
/* processor seconds of the one that compile_child_wait has returned last */
double compile_child_seconds(void);
/* kill them all and wait for them */
void compile_children_end(void);

/* ---- being told to stop ---- */

/* Between catch and release a signal that tells us to stop ends the children, removes TEMPORARY and ends
 * the process by that signal. That happens in compile_child_wait and compile_stop_check: whatever else
 * waits long calls the latter. */
void compile_stop_catch(const char *temporary);
void compile_stop_check(void);
void compile_stop_release(void);
/* HANDLER for the signals that tell us to stop, except those that are ignored: nohup stays. */
void compile_stop_handle(void (*handler)(int));

/* ---- time ---- */

/* Children that still run SECONDS from now are ended; 0: never. */
void compile_deadline(double seconds);
bool compile_out_of_time(void);
/* Let a system call that waits be interrupted five times a second. */
void compile_ticks(bool on);

#endif
