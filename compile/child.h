/* child.h - the processes that a compile starts; being told to stop; time limits.
 *
 * The state is the process's: one set of children, one time limit. Units: seconds.
 */
#ifndef CKJIT_COMPILE_CHILD_H
#define CKJIT_COMPILE_CHILD_H

#include "core/base/argv.h"

#include <sys/types.h>

/* ---- children ---- */

enum { CHILDREN_MOST = 16 }; /* at the same time */

struct child {
  const struct argv *command;
  /* Called in the child before COMMAND: -1 to go on, or the exit status, and COMMAND is not
   * started. May be NULL. */
  int (*prepare)(void *data);
  void *data;
};

/* Starts COMMAND, whose first word is a path, with its output into LOG, in its own process group.
 * Returns false with errno on failure. */
bool child_start(pid_t *pid, const struct argv *command, char *const *env, int log);
/* the same, with something to be done first */
bool child_prepare(pid_t *pid, const struct child *c, char *const *env, int log);
/* Wait for any of them; -1: there is none. */
pid_t child_wait(int *status);
/* kill them all and wait for them */
void children_end(void);

/* ---- being told to stop ---- */

/* Between catch and release a signal that tells us to stop ends the children, removes TEMPORARY and
 * ends the process by that signal. That happens in child_wait and stop_check: whatever else waits
 * long calls the latter. */
void stop_catch(const char *temporary);
void stop_check(void);
void stop_release(void);
/* HANDLER for the signals that tell us to stop, except those that are ignored: nohup stays. */
void stop_handle(void (*handler)(int));

/* ---- time ---- */

/* Children that still run SECONDS from now are ended; 0: never. */
void deadline_set(double seconds);
bool deadline_passed(void);
/* Let a system call that waits be interrupted five times a second. */
void ticks(bool on);

#endif
