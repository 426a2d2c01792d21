/* aiterbuilds.c - runs aiter's builds of the libraries, in parallel: their environment, output, and
 * the checks of the results.
 *
 * Each API (fwd, bwd) is one run of aiter's compile.py in a separate copy of the sources, because
 * the script writes into its tree. The environment puts the fake home first on the PATH, and fixes
 * PYTHONHASHSEED, without which keys would differ from build to build. All output goes to a log.
 * After a failure the lines that name a cause are printed. A build that succeeds must have left a
 * state file, which proves that its link went through ckjit.
 */
#include "common.h"
#include "cause.h"
#include "full.h"
#include "qola.h"
#include "watch.h"
#include "worklock.h"
#include "core/base/childenv.h"
#include "core/base/jobs.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <unistd.h>

/* Lines of a failed build's output to show if none names a cause. */
enum { TAIL_LINES = 30 };

/* a run of compile.py */
struct build {
  const struct full *full;
  const char *api;
  int number; /* of the API */
  struct watch *watch;
  char *shadow, *cwd, *log, *state_file;
  FILE *log_out;
  /* errno of the first failed write to the log; 0: none */
  int log_error;
  bool at_line_start; /* for the prefix of --verbose */
  struct argv env, command;
};

static void on_output(struct job *job, const char *bytes, size_t n) {
  struct build *b = job->user;
  if ((fwrite(bytes, 1, n, b->log_out) < n || fflush(b->log_out)) && !b->log_error)
    b->log_error = errno;
  watch_output(b->watch, b->number, bytes, n);
  if (!b->full->verbose)
    return;
  for (size_t i = 0; i < n;) {
    const char *nl = memchr(bytes + i, '\n', n - i);
    size_t line = nl ? (size_t)(nl - bytes) - i + 1 : n - i;
    if (b->at_line_start)
      printf("[%s] ", b->api);
    fwrite(bytes + i, 1, line, stdout);
    b->at_line_start = nl != NULL;
    i += line;
  }
  fflush(stdout);
}

static void on_tick(void *user) {
  watch_tick(user);
}

static bool on_done(struct job *job, void *user) {
  struct build *b = job->user;
  struct watch *w = user;
  if (!b) /* the removal: the next call removes the rest */
    return true;
  double started = ckjit_seconds() - job->seconds;
  char status[16];
  watch_tick(w);
  snprintf(status, sizeof status, "%d", job->status);
  step_trace(b->api, (unsigned)b->number + 1, (uint64_t)(started * 1e6), ckjit_microseconds(),
             status);
  if (w->of[b->number].first)
    step_trace("generate", (unsigned)b->number + 1, (uint64_t)(started * 1e6),
               w->of[b->number].first, "0");
  watch_ended(w, b->number);
  if (job->status == 0)
    step_print(b->api, started, "log in %s", b->log);
  return true; /* let the other one finish: its errors are useful too */
}

/* Set the variables that control the build and its output. */
static void set_env(struct build *b) {
  const struct full *f = b->full;
  struct argv *env = &b->env;
  childenv_copy(env);
  for (size_t i = 0; i < f->profile->home_vars.n; i++)
    childenv_set(env, f->profile->home_vars.args[i], f->home);
  const char *path = getenv("PATH");
  autofree char *new_path = xasprintf("%s/bin:%s", f->home, path ? path : "/usr/bin:/bin");
  autofree char *cxx = xasprintf("%s/bin/ckjit-cxx", f->home),
                *jobs = xasprintf("%u", f->jobs ? f->jobs : jobs_unwatched());
  childenv_set(env, "PATH", new_path);
  childenv_set(env, "CXX", cxx);
  childenv_set(env, "GPU_ARCHS", f->archs);
  childenv_set(env, "PYTORCH_ROCM_ARCH", f->archs);
  if (strcmp(f->bf16, BF16_OF_AITER) != 0)
    childenv_set(env, "CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT", f->bf16);
  childenv_set(env, "CK_JIT_TMP_DIR", f->tmp);
  childenv_set(env, "CK_JIT_BASE", b->shadow);
  childenv_set(env, "CK_JIT_AITER_DIR", b->shadow);
  if (b->number == QOLA) /* its libraries export only what its linker script names */
    childenv_unset(env, "CK_JIT_IS_FWD");
  else
    childenv_set(env, "CK_JIT_IS_FWD", b->number == FWD ? "1" : "0");
  childenv_set(env, "CK_JIT_JOBS", jobs);
  childenv_set(env, "MAX_JOBS", jobs);
  /* aiter passes its flags through a set. With Python's random hashes their order, and so every
   * blob's key, would differ from build to build, and between fwd and bwd. */
  childenv_set(env, "PYTHONHASHSEED", "0");
  childenv_set(env, "PYTHONDONTWRITEBYTECODE", "1");
  childenv_set(env, "PYTHONUNBUFFERED", "1");
  /* The workspace of a build belongs in its copy. CK_DIR, another CK to build with, is the user's
   * choice. */
  childenv_unset(env, "JIT_WORKSPACE_DIR");
  childenv_unset(env, "AITER_JIT_DIR");
  childenv_unset(env, "AITER_REBUILD");
}

static struct job prepare(struct build *b, const struct full *f, int api, struct watch *w) {
  *b = (struct build){.full = f,
                      .api = api_names[api],
                      .number = api,
                      .watch = w,
                      .shadow = shadow_of(f, api),
                      .at_line_start = true};
  b->log = xasprintf("%s/log_%s.txt", f->tmp, b->api);
  b->state_file = xasprintf("%s/libmha_%s/%s", f->tmp, b->api, STATE_FILE);
  if (!(b->log_out = fopen(b->log, "we")))
    die(EXIT_FAILED, "cannot write %s: %s", b->log, strerror(errno));
  set_env(b);
  b->cwd = api == QOLA ? qola_place(b->shadow) : xstrdup(b->shadow);
  if (api == QOLA)
    qola_command(&b->command, f, b->shadow);
  else
    argv_add_words(&b->command, "python3", BUILD_SCRIPT, "--api", b->api, NULL);
  return (struct job){.args = b->command.args,
                      .cwd = b->cwd,
                      .env = b->env.args,
                      .user = b,
                      .on_output = on_output};
}

/* The copies of earlier builds are removed in parallel. */
static struct job prepare_removal(struct argv *command, const struct full *f) {
  argv_add_words(command, "rm", "-rf", NULL);
  for (int i = 0; i < APIS; i++)
    argv_add_own(command, old_shadow_of(f, i));
  return (struct job){.args = command->args};
}

/* The path of the log, to end a message; an empty log is not mentioned. */
static char *in_log(const struct build *b, const struct job *job) {
  if (!job->output.len)
    return xstrdup("it printed nothing");
  return b->log_error ? xasprintf("not all of its output could be written to %s: %s", b->log,
                                  strerror(b->log_error))
                      : xasprintf("all of its output is in %s", b->log);
}

/* Print the lines that name a cause, or else the last ones; then the path of the rest. */
static void show_failure(const struct build *b, const struct job *job) {
  size_t at = job->output.len, lines = 0;
  autofree_buf causes = {0};
  autofree char *where = in_log(b, job);
  fflush(stdout);
  if (cause_lines(&causes, job->output.len ? job->output.data : "", job->output.len)) {
    fwrite(causes.data, 1, causes.len, stderr);
  } else {
    while (at > 0 &&
           (job->output.data[at - 1] != '\n' || at == job->output.len || ++lines < TAIL_LINES))
      at--;
    fwrite(job->output.len ? job->output.data + at : "", 1, job->output.len - at, stderr);
  }
  autofree char *command = argv_join(b->command.args + 1); /* without the name of Python */
  complain("%s: %s ended with status %d; %s", b->api, command, job->status, where);
}

/* A build that succeeded without the link step's state file did not link through the fake home. */
static bool has_library(const struct build *b) {
  autofree char *err = NULL;
  if (b->number == QOLA) {
    size_t n;
    qola_libraries(b->full, &n);
    if (!n)
      complain("qola: the build ended without linking a library through ckjit; does its manifest "
               "build libmha_fwd or libmha_bwd in mode cpp_itfs? The build's output is in %s",
               b->log);
    return n;
  }
  struct state *s = file_exists(b->state_file) ? state_read(b->state_file, &err) : NULL;
  bool ok = s && file_exists(s->out_so);
  if (!ok && err)
    complain("%s: %s", b->api, err);
  else if (!ok && s)
    complain("%s: the link step left no %s; the build's output is in %s", b->api, s->out_so,
             b->log);
  else if (!ok)
    complain("%s: the build ended without linking libmha_%s.so through ckjit (no %s); "
             "does its link go through $CXX or hipcc of the PATH? The build's output is in %s",
             b->api, b->api, b->state_file, b->log);
  return ok;
}

void run_builds(const struct full *f) {
  struct build builds[APIS];
  struct job jobs[APIS + 1];
  struct watch w;
  size_t n = 0;
  for (int i = 0; i < APIS; i++)
    if (f->api[i]) {
      jobs[n] = prepare(&builds[n], f, i, &w);
      n++;
    }
  work_lock_share(true); /* a build whose ckjit-build was killed continues to write */
  watch_start(&w, f);
  autofree_argv removal = {0};
  jobs[n] = prepare_removal(&removal, f);
  pool_run_watched(jobs, n + 1, APIS + 1, NULL, on_tick, on_done, &w);
  watch_end();
  work_lock_share(false);
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    if (jobs[i].status)
      show_failure(&builds[i], &jobs[i]);
    ok = jobs[i].status == 0 && has_library(&builds[i]) && ok;
    fclose(builds[i].log_out);
  }
  if (!ok)
    exit(EXIT_FAILED);
}
