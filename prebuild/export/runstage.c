/* runstage.c - `export`: runs the steps of a stage, as many at once as processors and memory
 * allow. */
#include "export.h"
#include "core/base/pool.h"

#include <signal.h>
#include <unistd.h>

static void say(const struct exporting *x, const struct job *job, const struct export_step *step) {
  if (x->r->verbose || isatty(STDERR_FILENO))
    note("%s %s in %.1f s", step->what, job->status ? "failed" : "made", job->seconds);
}

static bool may_start(const struct job *job, void *user) {
  (void)job;
  struct exporting *x = user;
  return budget_admits(&x->memory);
}

/* After a failure nothing will be written, so the other steps are stopped. */
static void end_others(const struct exporting *x) {
  for (size_t i = 0; i < x->njobs; i++)
    if (x->jobs[i].pid)
      kill(-x->jobs[i].pid, SIGTERM);
}

static bool on_done(struct job *job, void *user) {
  struct exporting *x = user;
  struct export_step *step = job->user;
  if (x->failed)
    return false; /* it was stopped */
  step->again = budget_failed(&x->memory, job) && !x->alone;
  if (step->again) {
    note("%s ran out of memory; ckjit will compile it again alone", step->what);
    x->again++;
    return true;
  }
  if (job->status || x->r->verbose || job->output.len)
    fwrite(job->output.len ? job->output.data : "", 1, job->output.len, stderr);
  say(x, job, step);
  if (!job->status)
    return true;
  if (!job->output.len)
    complain("%s failed with status %d", step->what, job->status);
  x->failed++;
  end_others(x);
  return false;
}

bool run_stage(struct exporting *x, const struct stage *stage) {
  x->jobs = xcalloc(stage->n, sizeof *x->jobs);
  x->njobs = stage->n;
  x->again = 0;
  x->alone = false;
  for (size_t i = 0; i < stage->n; i++)
    x->jobs[i] = (struct job){.args = stage->steps[i].command.args, .user = &stage->steps[i]};
  budget_start(&x->memory, x->r->job_memory, x->jobs, x->njobs);
  pool_run_admitted(x->jobs, x->njobs, x->r->jobs ? x->r->jobs : ckjit_jobs(),
                    x->r->job_memory ? may_start : NULL, on_done, x);
  x->alone = true;
  for (size_t i = 0; x->again && !x->failed && i < stage->n; i++)
    if (stage->steps[i].again) {
      buf_free(&x->jobs[i].output);
      pool_run(&x->jobs[i], 1, 1, on_done, x);
    }
  budget_end(&x->memory);
  x->jobs = NULL;
  return !x->failed;
}
