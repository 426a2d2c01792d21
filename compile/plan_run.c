/* plan_run.c - runs the steps of a plan side by side.
 *
 * A step starts as soon as the steps that it follows have ended. If a step fails that is not
 * optional, the others are ended and the plan has failed. A step that makes a precompiled header
 * never fails: the pass after it then runs without one.
 */
#include "plan_run.h"
#include "child.h"
#include "fatbin.h"
#include "pch.h"
#include "trace.h"
#include "core/base/jobs.h"
#include "core/base/path.h"
#include "core/base/trace.h"
#include "core/cc/steps.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* one run of a plan */
struct run {
  struct plan *plan;
  const struct argv *env;
  int log;
};

/* Adds the words of PASS: it begins after the head, with its precompiled header, and reports the
 * files that it reads, including those of the precompiled header. */
static void add_pass(const struct step *pass, struct argv *words) {
  const struct argv *w = &pass->words;
  argv_add_words(words, w->args[0], w->args[1], NULL);
  if (pass->pch && pass->pch->state == PCH_READY) {
    argv_add_words(words, "-include-pch", pass->pch->file, NULL);
    argv_addf(words, "-preamble-bytes=%zu,1", pass->pch->head_bytes);
  }
  if (pass->depfile)
    argv_add_words(words, "-sys-header-deps", "-MT", "pass", "-dependency-file", pass->depfile, NULL);
  argv_add_all(words, w->args + 2);
}

static bool start(struct run *r, struct step *s) {
  autofree_argv words = {0};
  struct plan *p = r->plan;
  if (s->role == STEP_DEVICE || s->role == STEP_HOST)
    add_pass(s, &words);
  else
    argv_add_all(&words, s->words.args);
  struct child child = {&words, s->prepare, s->data};
  uint64_t began = trace_now();
  bool started = (s != &p->steps[p->last] || !p->fatbin ||
                  fatbin_replace(p->steps[p->host].output, p->stand_in, p->fatbin)) &&
                 child_prepare(&s->pid, &child, r->env->args, r->log);
  s->state = started ? STEP_RUNNING : STEP_FAILED;
  if (started)
    compile_step_began(s->pid, began);
  return started;
}

/* Start what can be started. Returns how many are running then; -1: one cannot be started. */
static int start_more(struct run *r) {
  struct plan *p = r->plan;
  uint64_t ended = 0;
  int running = 0, most = (int)ckjit_processors();
  most = most < 2 ? 2 : most > CHILDREN_MOST ? CHILDREN_MOST : most;
  for (size_t i = 0; i < p->n; i++) {
    ended |= (uint64_t)(p->steps[i].state == STEP_DONE) << i;
    running += p->steps[i].state == STEP_RUNNING;
  }
  for (size_t i = 0; i < p->n && running < most; i++) {
    struct step *s = &p->steps[i];
    if (s->state != STEP_WAITING || (s->after & ~ended))
      continue;
    if (!start(r, s))
      return -1;
    running++;
  }
  return running;
}

/* Tell the trace that S has ended. NEEDED: if it failed, so does the compile. */
static void tell_step(const struct run *r, const struct step *s, int status, bool needed) {
  const char *name = path_base(s->words.args[0]);
  size_t cpu = words_find(&s->words, "-target-cpu");
  autofree char *arch =
      cpu + 1 < s->words.n ? xasprintf("device pass %s", s->words.args[cpu + 1]) : xstrdup("device pass");
  if (s->name)
    name = s->name;
  else if (s->role == STEP_DEVICE)
    name = arch;
  else if (s->role == STEP_HOST)
    name = "host pass";
  else if (s->role == STEP_PCH)
    name = "precompiled header";
  else if (s == &r->plan->steps[r->plan->last])
    name = "link";
  compile_step_ended(s->pid, name, s->words.args[0], status,
                     (s->role != STEP_PCH ? COMPILE_STEP_COUNTS : 0) | (needed ? 0 : COMPILE_STEP_SKIPPED));
}

static bool device_is_left(const struct plan *p) {
  for (size_t i = 0; i < p->n; i++)
    if (p->steps[i].role == STEP_DEVICE && p->steps[i].state != STEP_DONE)
      return true;
  return false;
}

/* Handles the end of the step with the process PID. Returns false if that ends the attempt. */
static bool finish(struct run *r, pid_t pid, int status) {
  for (size_t i = 0; i < r->plan->n; i++) {
    struct step *s = &r->plan->steps[i];
    if (s->state != STEP_RUNNING || s->pid != pid)
      continue;
    s->state = STEP_DONE;
    tell_step(r, s, status, !s->optional);
    if (s->ended)
      s->ended(s->data, status == 0);
    if (status && !s->optional)
      s->state = STEP_FAILED;
    if (r->plan->side && i == r->plan->side)
      r->plan->cut = r->plan->suffices(r->plan->data, device_is_left(r->plan));
    return s->state == STEP_DONE;
  }
  return true;
}

static void end_steps(const struct run *r) {
  children_end();
  for (size_t i = 0; i < r->plan->n; i++)
    if (r->plan->steps[i].state == STEP_RUNNING)
      tell_step(r, &r->plan->steps[i], SIGKILL, false);
}

static bool run_steps(struct run *r, const char **why) {
  int running, status;
  while ((running = start_more(r)) > 0) {
    pid_t pid = child_wait(&status);
    bool failed = pid < 0 || !finish(r, pid, status);
    if (failed || r->plan->cut) {
      end_steps(r);
      return !failed || give_up(why, "a step failed");
    }
  }
  return running == 0 || give_up(why, "a step cannot be started");
}

bool plan_run(struct plan *plan, const struct argv *env, int log, const char **why) {
  return run_steps(&(struct run){plan, env, log}, why);
}

char *plan_ask(const struct argv *words, char *const *env, const char *dir, bool *succeeded) {
  autofree char *file = path_join(dir, "question");
  char *text = NULL;
  int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = -1;
  pid_t pid;
  size_t len;
  uint64_t start = trace_now();
  if (fd >= 0 && child_start(&pid, words, env, fd)) {
    compile_step_began(pid, start);
    child_wait(&status);
    compile_step_ended(pid, "driver", words->args[0], status, COMPILE_STEP_COUNTS);
  }
  if (status == 0 || succeeded)
    text = file_read(file, &len);
  if (succeeded)
    *succeeded = status == 0;
  if (fd >= 0) {
    close(fd);
    unlink(file);
  }
  return text;
}

char *plan_ask_steps(enum cc_dialect dialect, const struct argv *command, char *const *env, const char *dir,
                     bool *succeeded) {
  autofree_argv words = {0};
  steps_question(&words, dialect, command);
  return plan_ask(&words, env, dir, succeeded);
}
