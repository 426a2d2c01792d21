/* passes.c - takes the plain command apart: its passes run side by side, each with a precompiled
 * header.
 *
 * The compiler's driver prints the steps that it would run. They are changed in two places before
 * they run side by side: the host pass gets a stand-in for the fat binary, so that it need not wait
 * for the device's (fatbin.c); and a pass begins after a precompiled header. If the header does not
 * exist yet and it is our turn to make it, making it is one more step before the pass.
 *
 * All files are in the temporary directory of the compile, TMPDIR included, so there is nothing
 * else to clean up.
 */
#include "passes.h"
#include "child.h"
#include "cuid.h"
#include "environment.h"
#include "head.h"
#include "pch.h"
#include "plan.h"
#include "plan_run.h"
#include "seen.h"
#include "verify.h"
#include "compile/hostonly/alone.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* one attempt */
struct attempt {
  const struct compile_task *t;
  const char *temporary;
  struct plan plan;
  struct head head;
  struct pch pchs[PLAN_STEPS]; /* by the index of the pass */
  struct hostalone alone;
  struct argv env;
  int log;
};

/* ---- the plan ---- */

/* Is the plain command hipcc or clang compiling HIP? Nothing else is asked for its steps, and no
 * program that may be anything. */
static bool is_clang(const struct compile_task *t, const struct argv *command) {
  size_t x = words_find(command, "-x");
  bool hip = x + 1 < command->n && strcmp(command->args[x + 1], "hip") == 0;
  bool clang = t->kind->clang && t->kind_is_known;
  return hip && clang && (t->fragment || words_find(command, "-fgpu-rdc") == command->n);
}

static bool make_plan(struct attempt *r, const struct argv *command, const char *output, const char **why) {
  autofree char *text = plan_ask_steps(r->t->kind->dialect, command, r->env.args, r->temporary, NULL);
  bool done =
      text ? plan_read(&r->plan, r->t, text, output, why) : give_up(why, "the compiler does not answer -###");
  if (text)
    verify_answer(r->t, command, text, &r->env);
  return done;
}

/* A device fragment defines nothing for the host (core/cxx/fragment.h): its host pass is given an
 * empty source, and none of the headers. The entry's is as it is. */
static bool empty_host_pass(struct attempt *r, const char **why) {
  struct argv kept = {0}, *host = &r->plan.steps[r->plan.host].words;
  if (!r->t->device_only)
    return true;
  autofree char *nothing = path_join(r->temporary, "nothing.hip");
  if (!file_write(nothing, "", 0, 0600))
    return give_up(why, "no temporary file");
  for (size_t i = 0; i < host->n; i++)
    if (strcmp(host->args[i], "-include") == 0 || strcmp(host->args[i], "-imacros") == 0)
      i++;
    else
      argv_add(&kept, i + 1 == host->n ? nothing : host->args[i]);
  argv_free(host);
  *host = kept;
  return true;
}

/* Have each pass say what it reads. */
static void add_depfiles(struct attempt *r) {
  for (size_t i = 0; r->t->seen && i < r->plan.n; i++)
    if (r->plan.steps[i].role != STEP_OTHER)
      r->plan.steps[i].depfile = xasprintf("%s/pass-%zu.d", r->temporary, i);
}

/* A step that was ended may have been writing. */
static void note_depfile(const struct attempt *r, const struct step *s) {
  if (s->state == STEP_DONE)
    seen_depfile(r->t, s->depfile);
}

static void note_reads(const struct attempt *r) {
  for (size_t i = 0; i < r->plan.n; i++)
    if (r->plan.steps[i].depfile)
      note_depfile(r, &r->plan.steps[i]);
}

/* Make the directories that the steps write to, and the stand-in of the host pass. */
static bool prepare(struct attempt *r, const char **why) {
  struct plan *p = &r->plan;
  for (size_t i = 0; i < p->n; i++) {
    autofree char *dir = path_dir(p->steps[i].output);
    bool made = dir_make(dir);
    if (!made)
      return give_up(why, "no temporary directory");
  }
  if (!p->fatbin)
    return empty_host_pass(r, why);
  p->stand_in = path_join(r->temporary, "stand-in");
  static const char bytes[4096] = "what the fat binary is exchanged for";
  if (!file_write(p->stand_in, bytes, sizeof bytes, 0600))
    return give_up(why, "no temporary file");
  struct argv *host = &p->steps[p->host].words;
  words_set(host, words_find(host, "-fcuda-include-gpubinary") + 1, p->stand_in);
  return true;
}

/* ---- precompiled headers ---- */

/* The step that makes the precompiled header of PASS, put before it. */
static void add_pch_step(struct attempt *r, size_t pass) {
  struct plan *p = &r->plan;
  struct step *s = &p->steps[p->n];
  *s = (struct step){.role = STEP_PCH,
                     .pch = &r->pchs[pass],
                     .optional = true,
                     .prepare = pch_before,
                     .ended = pch_keep,
                     .data = &r->pchs[pass]};
  if (!pch_command(s->pch, &s->words, &p->steps[pass], &r->head, &r->env, r->temporary)) {
    argv_free(&s->words);
    pch_keep(&r->pchs[pass], false);
    return;
  }
  p->steps[pass].after |= UINT64_C(1) << p->n;
  p->n++;
}

/* Locks are taken in the order of the keys, so that no two processes wait for one another. */
static int by_key(const void *a, const void *b) {
  return strcmp((*(struct step *const *)a)->pch->hex, (*(struct step *const *)b)->pch->hex);
}

static void find_pchs(struct attempt *r) {
  struct plan *p = &r->plan;
  struct step *passes[PLAN_STEPS];
  size_t n = 0, steps = p->n;
  if (!r->t->cache || !head_read(&r->head, r->t->source))
    return;
  for (size_t i = 0; i < steps; i++) {
    if (p->steps[i].role == STEP_OTHER || (p->steps[i].role == STEP_HOST && r->t->device_only))
      continue;
    p->steps[i].pch = &r->pchs[i];
    pch_find(&r->pchs[i], r->t, &p->steps[i], &r->head);
    passes[n++] = &p->steps[i];
  }
  qsort(passes, n, sizeof(*passes), by_key);
  for (size_t i = 0; i < n; i++)
    pch_claim(passes[i]->pch);
  for (size_t i = 0; i < steps; i++)
    if (p->steps[i].pch && p->steps[i].pch->state == PCH_OURS)
      add_pch_step(r, i);
}

/* ---- the attempt ---- */

/* A precompiled header that the compiler rejects, or that makes it crash, must not reach the next
 * compile. But the source may as well be wrong, so it is only removed if the plain command
 * succeeds. Nothing better is known of those of passes that were still running. */
static void name_suspects(const struct attempt *r, struct argv *suspects) {
  for (size_t i = 0; i < r->plan.n; i++) {
    const struct step *s = &r->plan.steps[i];
    if (s->state != STEP_DONE && s->pch && s->pch->state == PCH_READY)
      argv_add_words(suspects, s->pch->list, s->pch->file, NULL);
  }
}

/* Reports what was done, to explain why a first call takes so long. */
static void say(const struct attempt *r) {
  int made = 0, found = 0, none = 0;
  for (size_t i = 0; i < r->plan.n; i++) {
    const struct step *s = &r->plan.steps[i];
    if (s->role != STEP_DEVICE && s->role != STEP_HOST)
      continue;
    bool ready = s->pch && s->pch->state == PCH_READY;
    made += ready && s->pch->made;
    found += ready && !s->pch->made;
    none += !ready;
  }
  note("%s: parallel passes; precompiled headers: %d made, %d found, %d passes without", r->t->stem, made,
       found, none);
}

static void run_free(struct attempt *r) {
  for (size_t i = 0; i < r->plan.n; i++)
    if (r->plan.steps[i].pch == &r->pchs[i])
      pch_free(&r->pchs[i]);
  plan_free(&r->plan);
  hostalone_free(&r->alone);
  buf_free(&r->head.text);
  argv_free(&r->env);
  if (r->log >= 0)
    close(r->log);
  free(r);
}

bool passes_make(const struct compile_task *t, const struct argv *command, const char *temporary,
                 const char *output, struct argv *suspects) {
  const char *wanted = env_get("CK_JIT_PCH");
  if ((wanted && !ckjit_is_on(wanted)) || !is_clang(t, command))
    return false;
  struct attempt *r = xcalloc(1, sizeof *r);
  autofree char *log = path_join(temporary, "passes");
  r->t = t;
  r->temporary = temporary;
  r->log = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  argv_add_all(&r->env, compile_environment(t));
  cuid_add_variable(&r->env, t, command);
  const char *why = "no log";
  bool done = r->log >= 0 && make_plan(r, command, output, &why) && prepare(r, &why);
  if (done) {
    add_depfiles(r);
    find_pchs(r);
    hostalone_plan(&r->alone, &r->plan, t, temporary);
    done = plan_run(&r->plan, &r->env, r->log, &why);
    if (done)
      note_reads(r);
    else
      name_suspects(r, suspects);
  }
  if (t->verbose && !done)
    note("%s: no parallel passes: %s", t->stem, why);
  else if (t->verbose)
    say(r);
  run_free(r);
  return done;
}
