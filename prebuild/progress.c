/* progress.c - the progress of a run, for a waiting user.
 *
 * On a terminal it is one line that is redrawn in place five times a second, so that the seconds of
 * a long compile tick visibly:
 *
 *     [12/52] 18.2 a minute, 2m10s left, 1 failed, 2 running, slowest 41s fmha_bwd_d128_bf16_…
 *
 * In a log, on a terminal that cannot return to the start of a line (TERM=dumb), and if the user
 * opts out (NO_COLOR), it is one line for each job that has ended.
 *
 * The time left assumes that the remaining work takes as long per second of expected work as the
 * finished work did; the time of the running jobs so far is subtracted. So it counts down between
 * two jobs that end, and does not jump at each.
 */
#include "progress.h"
#include "abi/ck_jit_clock.h"
#include "core/base/pool.h"
#include "core/base/statusline.h"

/* ---- the line ---- */

static double weight(const struct progress *p, const struct job *job) {
  double w = p->weight ? p->weight(job) : 1;
  return w > 0 ? w : 1e-3;
}

/* A summary of all jobs. */
struct summary {
  size_t running;
  /* the running job that started first; NULL if none runs */
  const struct job *slowest;
  double longest; /* its seconds so far */
  double left;    /* seconds; negative if unknown */
};

static struct summary look(const struct progress *p) {
  struct summary l = {.left = -1};
  double cost = p->spent_weight > 0 ? p->spent / p->spent_weight : 0, waiting = 0, ending = 0,
         last = 0;
  uint64_t time = ckjit_microseconds();
  for (size_t i = 0; i < p->n; i++) {
    const struct job *job = &p->jobs[i];
    if (!job->pid) {
      if (!job->started)
        waiting += weight(p, job) * cost;
      continue;
    }
    double seconds = (double)(time - job->started) / 1e6, rest = weight(p, job) * cost - seconds;
    ending += rest > 0 ? rest : 0;
    last = rest > last ? rest : last;
    l.running++;
    if (!l.slowest || seconds > l.longest) {
      l.slowest = job;
      l.longest = seconds;
    }
  }
  if (cost > 0) {
    l.left = (waiting + ending) / (l.running ? (double)l.running : 1);
    l.left = l.left > last ? l.left : last;
  }
  return l;
}

static void draw(struct progress *p) {
  autofree_buf text = {0};
  struct summary l = look(p);
  double elapsed = (double)(ckjit_microseconds() - p->started) / 1e6;
  char time[32];
  buf_printf(&text, "[%zu/%zu]", p->done, p->n - p->left_out);
  if (p->done)
    buf_printf(&text, " %.1f a minute", elapsed > 0 ? (double)p->done / elapsed * 60 : 0);
  /* else the running jobs take longer than expected */
  if (p->done + p->left_out < p->n && l.left >= 0.5) {
    status_line_time(time, l.left);
    buf_printf(&text, ", %s left", time);
  }
  if (p->failed)
    buf_printf(&text, ", %zu failed", p->failed);
  if (l.running) {
    status_line_time(time, l.longest);
    buf_printf(&text, "%s%zu running, slowest %s %s", p->done || p->failed ? ", " : " ", l.running,
               time, p->name(l.slowest));
  }
  status_line_draw(text.data);
}

/* ---- for the caller ---- */

void progress_start(struct progress *p) {
  p->started = ckjit_microseconds();
  p->terminal = status_line_wanted();
  if (p->terminal && p->n)
    draw(p);
}

void progress_clear(struct progress *p) {
  (void)p;
  status_line_clear();
}

void progress_say(struct progress *p, const char *fmt, ...) {
  va_list ap;
  progress_clear(p);
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
  putchar('\n');
  fflush(stdout);
}

void progress_done(struct progress *p, const struct job *job) {
  p->done++;
  p->failed += job->status != 0;
  p->spent += job->seconds;
  p->spent_weight += weight(p, job);
  if (p->terminal)
    draw(p);
  else
    progress_say(p, "[%zu/%zu] %s %s in %.1f s", p->done, p->n - p->left_out, p->name(job),
                 job->status ? "failed" : p->verb, job->seconds);
}

void progress_tick(struct progress *p) {
  if (p->terminal)
    draw(p);
}

double progress_end(struct progress *p) {
  status_line_keep();
  return (double)(ckjit_microseconds() - p->started) / 1e6;
}
