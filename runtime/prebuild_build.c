/* prebuild_build.c - `list` and `build`.
 *
 * Each blob that the cache lacks is one ckjit-compile, told everything that the runtime would tell it, so
 * that what is built ahead is what the runtime finds. A blob that somebody else compiles at the same time is
 * waited for, not compiled twice: that is ckjit-compile's lock. */
#include "prebuild.h"
#include "core/env.h"
#include "core/install.h"
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
  for (size_t i = 0; i < r->nblobs; i++)
    printf("%s\tknown\t%s\n", r->blobs[i]->stem, cache_has(r, r->blobs[i]) ? "cached" : "absent");
  for (size_t i = 0; i < r->names.n; i++)
    if (!manifest_find_any(r->m, r->names.args[i])) {
      printf("%s\tunknown\tabsent\n", r->names.args[i]);
      all_known = false;
    }
  return all_known ? EXIT_OK : EXIT_FAILED;
}

/* --- how many at a time --- */

/* Blobs of CK tile were seen to take up to 2 GiB each in clang's code generation for the device. */
static const unsigned long long MEMORY_OF_A_JOB = 2ull << 30;

/* the number in FILE behind the word KEY ("" for the first one); -1 where there is none */
static long long number_in(const char *file, const char *key) {
  size_t len;
  char *text = file_read(file, &len);
  const char *at = text ? strstr(text, key) : NULL;
  long long n = -1;
  if (at) {
    at += strlen(key);
    char *end;
    n = strtoll(at, &end, 10);
    if (end == at)
      n = -1;
  }
  free(text);
  return n;
}

/* Bytes that are free for us: the machine's, or what is left of the container's limit. */
static unsigned long long memory_available(void) {
  long long kib = number_in("/proc/meminfo", "MemAvailable:");
  unsigned long long free_bytes = kib < 0 ? ~0ull : (unsigned long long)kib * 1024;
  long long max = number_in("/sys/fs/cgroup/memory.max", ""),
            now = number_in("/sys/fs/cgroup/memory.current", "");
  if (max > 0 && now >= 0) {
    unsigned long long left = max > now ? (unsigned long long)(max - now) : 0;
    free_bytes = left < free_bytes ? left : free_bytes;
  }
  return free_bytes;
}

static unsigned parallel_jobs(const struct request *r) {
  if (r->jobs)
    return r->jobs;
  unsigned long long by_memory = memory_available() / MEMORY_OF_A_JOB;
  unsigned n = pool_processors();
  if (by_memory < n)
    n = (unsigned)by_memory;
  return n ? n : 1;
}

/* --- the run --- */

/* one compile */
struct compile {
  const struct manifest_blob *blob;
  struct argv command;
};

struct progress {
  const struct request *r;
  size_t done, todo, failed;
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

static bool on_done(struct job *job, void *user) {
  struct progress *p = user;
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
  size_t failed = pool_run(jobs, todo, parallel_jobs(r), on_done, &p);
  list_failures(r, jobs, todo);
  printf("%zu compiled, %zu in the cache already, %zu failed, %.1f s, %s\n", todo - failed, r->nblobs - todo,
         failed, now() - p.started, r->cache);
  for (size_t i = 0; i < todo; i++) {
    buf_free(&jobs[i].output);
    argv_free(&compiles[i].command);
  }
  free(jobs);
  free(compiles);
  free(program);
  return failed ? EXIT_FAILED : EXIT_OK;
}
