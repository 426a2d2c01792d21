/* prebuild_build.c - `list` and `build`.
 *
 * Each blob that the cache lacks is one ckjit-compile, told everything that the runtime would tell it, so
 * that what is built ahead is what the runtime finds. A blob that somebody else compiles at the same time is
 * waited for, not compiled twice: that is ckjit-compile's lock. */
#include "prebuild.h"
#include "core/cachedir.h"
#include "core/env.h"
#include "core/install.h"
#include "core/launcher.h"
#include "core/path.h"
#include "core/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- list --- */

/* Stems alone go on to the next program; with blobs asked for, each with what is known of it. */
int prebuild_list(struct request *r) {
  bool all_known = true;
  if (!r->all && !r->names.n) {
    for (size_t i = 0; !r->lists && i < r->m->nblobs; i++)
      puts(r->m->blobs[i].stem);
    return EXIT_OK;
  }
  const char *why = file_exists(r->cache) ? ckjit_cache_check(r->cache) : NULL;
  if (why)
    warn("the cache directory %s %s: nothing is loaded from it", r->cache, why);
  for (size_t i = 0; i < r->nblobs; i++)
    printf("%s\tknown\t%s\n", r->blobs[i]->stem, cache_has(r, r->blobs[i]) ? "cached" : "absent");
  for (size_t i = 0; i < r->names.n; i++)
    if (!manifest_find_any(r->m, r->names.args[i])) {
      printf("%s\tunknown\tabsent\n", r->names.args[i]);
      all_known = false;
    }
  return all_known ? EXIT_OK : EXIT_FAILED;
}

/* --- the run --- */

/* one compile */
struct compile {
  const struct manifest_blob *blob;
  struct argv command;
  bool again; /* it failed for want of memory and is to be tried once more, alone */
};

struct progress {
  const struct request *r;
  struct memory memory;
  bool alone; /* the second try */
  size_t done, todo, failed, again;
  double started;
  bool terminal;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* the program that compiles: the root's own, which belongs to the same version, else ours */
static char *find_compile(const struct request *r) {
  char *program = path_join(r->root, "ckjit-compile");
  if (access(program, X_OK) == 0)
    return program;
  free(program);
  program = install_program("ckjit-compile");
  if (!program)
    die(EXIT_FAILED,
        "ckjit-compile is neither in %s nor beside this program; install ckjit again, or say --root",
        r->root);
  return program;
}

static void add_option(struct argv *command, const char *option, char *value) {
  argv_add(command, option);
  argv_add_own(command, value);
}

static void make_command(struct compile *c, const struct request *r, const char *program) {
  const struct manifest_group *group = &r->m->groups[c->blob->group];
  char archs[CKJIT_ARCHS_SIZE], hex[CKJIT_BUILD_ID_HEX_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  cache_key(r, c->blob, archs, id);
  ckjit_build_id_hex(hex, id);
  argv_add(&c->command, program);
  add_option(&c->command, "--blob-source", manifest_expand(c->blob->source, r->root));
  add_option(&c->command, "--blob-flags", argv_join(group->flags.args));
  add_option(&c->command, "--link-flags", argv_join(group->link.args));
  add_option(&c->command, "--root", xstrdup(r->root));
  char *inputs = manifest_inputs(r->m, group, r->root);
  if (inputs)
    add_option(&c->command, "--inputs", inputs);
  add_option(&c->command, "--arch", xstrdup(archs));
  add_option(&c->command, "--build-id", xstrdup(hex));
  /* The build's compiler, whose version is in the key; another only where the user says so, or where that is
   * gone. */
  if (!env_get("CK_JIT_HIPCC") && access(r->m->compiler, X_OK) == 0)
    add_option(&c->command, "--hipcc", xstrdup(r->m->compiler));
  argv_add(&c->command, "--cache");
  add_option(&c->command, "--output", xasprintf("%s/%s.so", r->cache, c->blob->stem));
}

/* "1h02m", "3m20s", "12s" */
static void format_time(char out[32], double seconds) {
  unsigned long s = (unsigned long)(seconds + 0.5);
  if (s >= 3600)
    snprintf(out, 32, "%luh%02lum", s / 3600, s / 60 % 60);
  else if (s >= 60)
    snprintf(out, 32, "%lum%02lus", s / 60, s % 60);
  else
    snprintf(out, 32, "%lus", s);
}

/* One line that changes on a terminal; elsewhere (a log) one line a blob. */
static void show_progress(const struct progress *p, const struct job *job) {
  const struct compile *c = job->user;
  if (!p->terminal) {
    printf("[%zu/%zu] %s %s in %.1f s\n", p->done, p->todo, c->blob->stem,
           job->status ? "failed" : "compiled", job->seconds);
  } else {
    char left[32];
    double elapsed = now() - p->started, rate = elapsed > 0 ? (double)p->done / elapsed : 0;
    format_time(left, rate > 0 ? (double)(p->todo - p->done) / rate : 0);
    printf("\r\033[K[%zu/%zu] %.1f a minute, %s left", p->done, p->todo, rate * 60, left);
    if (p->failed)
      printf(", %zu failed", p->failed);
    if (p->done == p->todo)
      putchar('\n');
  }
  fflush(stdout);
}

static bool may_start(const struct job *job, void *user) {
  (void)job;
  struct progress *p = user;
  return memory_admits(&p->memory);
}

static bool on_done(struct job *job, void *user) {
  struct progress *p = user;
  struct compile *c = job->user;
  c->again = memory_failed(&p->memory, job) && !p->alone;
  if (c->again) {
    p->again++;
    printf("%s%s ran out of memory; it will be tried again alone\n", p->terminal ? "\r\033[K" : "",
           c->blob->stem);
    fflush(stdout);
    return true;
  }
  p->done++;
  p->failed += job->status != 0;
  /* The first failure in full, while it can still save the time of the others; the rest is in the logs. */
  if ((job->status && p->failed == 1) || p->r->verbose) {
    if (p->terminal)
      fputs("\r\033[K", stdout);
    fflush(stdout);
    fwrite(job->output.len ? job->output.data : "", 1, job->output.len, stderr);
  }
  show_progress(p, job);
  return true;
}

/* All jobs, as many at a time as processors and memory allow; then those that memory did not suffice for, one
 * at a time. */
static void run_all(struct progress *p, struct job *jobs, size_t n) {
  const struct request *r = p->r;
  memory_start(&p->memory, r->job_memory, jobs, n);
  pool_run_admitted(jobs, n, r->jobs, r->job_memory ? may_start : NULL, on_done, p);
  p->alone = true;
  for (size_t i = 0; p->again && i < n; i++) {
    const struct compile *c = jobs[i].user;
    if (c->again) {
      buf_free(&jobs[i].output);
      pool_run(&jobs[i], 1, 1, on_done, p);
    }
  }
  memory_end(&p->memory);
}

static void list_failures(const struct request *r, const struct job *jobs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct compile *c = jobs[i].user;
    if (!jobs[i].status)
      continue;
    char *log = xasprintf("%s/" CKJIT_LOGS "/%s.log", r->cache, c->blob->stem);
    warn("failed: %s%s%s", c->blob->stem, file_exists(log) ? ", log " : "", file_exists(log) ? log : "");
    free(log);
  }
}

int prebuild_build(struct request *r) {
  struct argv launcher = {0};
  char *why = launcher_read(&launcher);
  argv_free(&launcher);
  if (!why)
    why = cachedir_open(r->cache);
  if (why) /* each compile would say it */
    die(EXIT_FAILED, "%s", why);
  char *program = find_compile(r);
  struct compile *compiles = xcalloc(r->nblobs, sizeof *compiles);
  struct job *jobs = xcalloc(r->nblobs, sizeof *jobs);
  size_t todo = 0;
  for (size_t i = 0; i < r->nblobs; i++) {
    if (cache_has(r, r->blobs[i]))
      continue;
    compiles[todo].blob = r->blobs[i];
    make_command(&compiles[todo], r, program);
    jobs[todo] = (struct job){.args = compiles[todo].command.args, .user = &compiles[todo]};
    todo++;
  }
  struct progress p = {.r = r, .todo = todo, .started = now(), .terminal = isatty(STDOUT_FILENO)};
  run_all(&p, jobs, todo);
  list_failures(r, jobs, todo);
  printf("%zu compiled, %zu in the cache already, %zu failed, %.1f s, %s\n", todo - p.failed,
         r->nblobs - todo, p.failed, now() - p.started, r->cache);
  if (p.memory.largest >= 1u << 20)
    printf("the largest compile took %.1f MiB\n", (double)p.memory.largest / (1 << 20));
  for (size_t i = 0; i < todo; i++) {
    buf_free(&jobs[i].output);
    argv_free(&compiles[i].command);
  }
  free(jobs);
  free(compiles);
  free(program);
  return p.failed ? EXIT_FAILED : EXIT_OK;
}
