/* trace.c - measures how long each step of a compile takes: for CK_JIT_TRACE, and for the times
 * that the cache keeps.
 *
 * Each of the processes that run at the same time has a separate track in the trace, the lowest
 * that is free. The cache remembers the processor time of the compiler's processes, without those
 * that make precompiled headers. The times serve to compare kernels: otherwise the first one would
 * pay for the headers of all, and the time on the clock is several times as long on a machine that
 * is busy with other work.
 */
#include "trace.h"
#include "child.h"
#include "core/base/path.h"
#include "core/cache/stats.h"
#include "core/cache/times.h"
#include "core/base/trace.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* the whole of it */
static struct {
  char *stem, hex[CKJIT_BUILD_ID_HEX_SIZE], *archs, *compiler;
  uint64_t start;
  long starter;
} whole;

/* what runs now; the first is on track 1 */
static struct {
  pid_t pid;
  uint64_t start;
} running[CHILDREN_MOST];
static double seconds; /* of processors, of the process that ended last */
static double counted;
static double all; /* those that do not count, too */
static bool ran;   /* a process of the compiler */

void compile_trace_start(long starter, uint64_t start) {
  whole.start = start;
  whole.starter = starter;
  trace_process(program_name);
}

void compile_trace_task(const struct compile_task *t) {
  if (!trace_wanted() || !t->stem)
    return;
  whole.stem = xstrdup(t->stem);
  whole.archs = xstrdup(t->archs);
  whole.compiler = t->compiler ? xstrdup(t->compiler) : NULL;
  memcpy(whole.hex, t->hex, sizeof whole.hex);
}

void compile_trace_span(const char *what, uint64_t start, const char *status) {
  trace_span(what, what, 0, start, trace_now(), "stem", whole.stem, "build_id", whole.stem ? whole.hex : NULL,
             "status", status, NULL);
}

void compile_trace_end(const char *status) {
  trace_span("compile", whole.stem ? whole.stem : "?", 0, whole.start, trace_now(), "stem", whole.stem,
             "build_id", whole.stem ? whole.hex : NULL, "archs", whole.archs, "compiler", whole.compiler,
             "status", status, NULL);
  if (whole.stem)
    trace_started(whole.start, whole.hex, whole.starter);
}

void compile_step_used(const struct rusage *used) {
  seconds = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
            (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

void compile_step_began(pid_t pid, uint64_t start) {
  static unsigned named;
  unsigned i = 0;
  while (i < CHILDREN_MOST && running[i].pid)
    i++;
  if (i == CHILDREN_MOST)
    return;
  running[i].pid = pid;
  running[i].start = start;
  if (named <= i && trace_wanted()) {
    char name[32];
    snprintf(name, sizeof name, "step %u", ++named);
    trace_track(i + 1, name);
  }
}

void compile_step_ended(pid_t pid, const char *name, const char *program, int status, int what) {
  char text[32];
  unsigned i = 0;
  while (i < CHILDREN_MOST && running[i].pid != pid)
    i++;
  if (i == CHILDREN_MOST)
    return;
  uint64_t end = trace_now();
  char said[32];
  running[i].pid = 0;
  all += seconds;
  ran = true;
  if (what & COMPILE_STEP_COUNTS)
    counted += seconds;
  snprintf(said, sizeof said, "%.3f", seconds);
  if (status && (what & COMPILE_STEP_SKIPPED))
    snprintf(text, sizeof text, "skipped");
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
  else
    snprintf(text, sizeof text, "%d", WEXITSTATUS(status));
  trace_span("step", name, i + 1, running[i].start, end, "stem", whole.stem, "command", path_base(program),
             "status", text, "processor_seconds", said, NULL);
}

void compile_time_anew(void) {
  counted = 0;
}

void compile_time_record(const struct compile_task *t, uint64_t start, bool made) {
  const struct times_compile compile = {.ended = (uint64_t)time(NULL),
                                        .took = (trace_now() - start) / 1000,
                                        .build_id = t->hex,
                                        .compiler = t->compiler};
  if (made || ran)
    times_record(t->dir, t->stem, made ? counted : -1, &compile);
}

void compile_stats_record(const struct compile_task *t, const char *library, bool made) {
  if (ran && t->cache && t->stem)
    stats_record(t->dir, library, t->stem, made, all);
}
