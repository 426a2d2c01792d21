/* scratch.c - see scratch.h. */
#include "scratch.h"
#include "childenv.h"
#include "path.h"

#include <unistd.h>

static char *directory; /* while jobs run */
static void (*next_before_signal)(void);

static void remove_directory(void) {
  dir_remove(directory);
  if (next_before_signal)
    next_before_signal();
}

/* Make it in TMPDIR, or if that fails, in the default places of programs: a job's TMPDIR may have
 * been removed. NULL: nowhere. */
static char *make_directory(void) {
  const char *places[] = {secure_getenv("TMPDIR"), "/tmp", "/var/tmp"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char *dir = xasprintf("%s/ckjit-XXXXXX", places[i] ? places[i] : "");
    if (places[i] && *places[i] && dir_make_temporary(dir))
      return dir;
    free(dir);
  }
  return NULL;
}

/* JOB's environment, in ENV, with the new directory as TMPDIR. */
static void set_environment(struct argv *env, struct job *job) {
  argv_add_all(env, job->env ? job->env : pool_environment ? pool_environment : environ);
  childenv_set(env, "TMPDIR", directory);
  job->env = env->args;
}

size_t scratch_run(struct job *jobs, size_t n, unsigned parallel) {
  directory = make_directory();
  if (!directory)
    return pool_run(jobs, n, parallel, NULL, NULL);
  autofree struct argv *envs = xcalloc(n, sizeof *envs);
  for (size_t i = 0; i < n; i++)
    set_environment(&envs[i], &jobs[i]);
  next_before_signal = pool_before_signal;
  pool_before_signal = remove_directory;
  size_t failed = pool_run(jobs, n, parallel, NULL, NULL);
  pool_before_signal = next_before_signal;
  dir_remove(directory);
  free(directory);
  for (size_t i = 0; i < n; i++) {
    jobs[i].env = NULL;
    argv_free(&envs[i]);
  }
  return failed;
}
