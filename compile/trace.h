/* trace.h - how long each step of a compile took: for CK_JIT_TRACE, and for the times that the
 * cache keeps.
 *
 * START is a time of core/base/trace.h's trace_now(). STATUS is "0", or why not.
 */
#ifndef CKJIT_COMPILE_TRACE_H
#define CKJIT_COMPILE_TRACE_H

#include "task.h"

#include <sys/resource.h>
#include <sys/types.h>

/* The whole compile: STARTER (a process) began it at START; it is of T; it has ended. */
void compile_trace_start(long starter, uint64_t start);
void compile_trace_task(const struct compile_task *t);
void compile_trace_end(const char *status);
/* WHAT, which began at START, has ended. STATUS may be NULL. */
void compile_trace_span(const char *what, uint64_t start, const char *status);

/* Records the resources that the process used which child_wait returns next. */
void compile_step_used(const struct rusage *used);
/* A process was started at START; child_wait has returned it with STATUS. NAME says what it was
 * for. */
void compile_step_began(pid_t pid, uint64_t start);
enum {
  /* its time is part of the time that the cache remembers for the blob */
  COMPILE_STEP_COUNTS = 1,
  /* the compile did without it: whatever STATUS is, that is no failure */
  COMPILE_STEP_SKIPPED = 2,
};
void compile_step_ended(pid_t pid, const char *name, const char *program, int status, int what);
/* Discard the counts so far: the attempt failed, or they belong to another task. */
void compile_time_anew(void);
/* Let the cache remember what counted of T, which began at START; if it was not MADE, that it
 * failed, if a compiler ran. */
void compile_time_record(const struct compile_task *t, uint64_t start, bool made);
/* Let the cache of T count this compile, if a compiler ran: for LIBRARY (NULL: not known); whether
 * its entry was MADE. */
void compile_stats_record(const struct compile_task *t, const char *library, bool made);

#endif
