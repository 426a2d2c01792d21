/* build.c - `build`.
 *
 * One ckjit-compile compiles each blob that the cache lacks. It gets the same options as from the
 * runtime, so that the runtime finds the result. If another process is compiling the same blob,
 * ckjit-compile's lock makes this one wait instead of compiling it twice. */
#include "build.h"
#include "archs.h"
#include "cache.h"
#include "checkfunctions.h"
#include "compilewords.h"
#include "help.h"
#include "lazykernels.h"
#include "packcache.h"
#include "prebuild.h"
#include "probe.h"
#include "progress.h"
#include "functionnames.h"
#include "core/base/budget.h"
#include "core/base/human.h"
#include "core/base/memory.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/trace.h"
#include "core/cache/cachedir.h"
#include "core/cache/kernelcommand.h"
#include "core/cache/used.h"
#include "core/files/unitkernels.h"
#include "core/cc/compiler.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the run ---- */

/* a compile */
struct compile {
  const struct manifest_blob *blob;
  struct argv command;
  const char *archs; /* its list, of r->archs */
  /* for the user: its stem, with the list if there are several */
  char *name;
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  uint64_t ms; /* expected duration, if it is known */
  /* for CUDA: the entry is made without kernels, and the jobs after this one make so many of its
   * kernels */
  size_t kernels;
  bool apart;
  /* a kernel of such a blob, or of a lazy unit, borrowed; NULL: a blob, or the whole unit */
  const char *kernel;
  /* it ran out of memory and will be retried alone */
  bool again;
};

/* all compiles */
struct building {
  const struct request *r;
  struct compile *compiles; /* room for all wanted entries, as in jobs */
  struct job *jobs;
  struct progress progress;
  struct budget memory;
  bool alone; /* retrying */
  size_t again;
  /* tracks of the trace that have been named */
  unsigned tracks;
};

static const char *name_of(const struct job *job) {
  return ((const struct compile *)job->user)->name;
}

static double weight_of(const struct job *job) {
  return (double)((const struct compile *)job->user)->ms;
}

static void make_command(struct compile *c, const struct request *r, const char *program) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char whole[CKJIT_BUILD_ID_HEX_SIZE];
  cache_kernel_id(c->blob, c->archs, c->kernel, id);
  ckjit_build_id_hex(whole, id);
  if (c->apart)
    cache_key_apart(r, c->blob, c->archs, id);
  ckjit_build_id_hex(c->hex, id);
  compile_words(&c->command, r, c->blob, program, c->archs, id, true);
  if (c->blob->unit)
    add_option(&c->command, "--kernel", xstrdup(c->kernel ? c->kernel : CKJIT_UNIT_WHOLE));
  argv_add(&c->command, "--cache");
  autofree char *stem = cache_kernel_stem(c->blob, c->kernel);
  add_option(&c->command, "--output", xasprintf("%s/%s.so", r->cache, stem));
  if (c->apart)
    add_option(&c->command, "--per-kernel", xstrdup(whole));
  if (r->beside && !r->wait) /* leave it to the process that is compiling it */
    argv_add(&c->command, "--unless-busy");
}

/* For the user: the stem, or the name of the kernel, with the kernel or the list of architectures
 * if there are several. */
static char *make_name(const struct compile *c, const struct request *r) {
  const char *archs = r->archs[c->blob->group].n == 1 ? NULL : c->archs;
  if (c->kernel && c->blob->unit) {
    autofree char *name = unitkernel_name(c->blob->stem, c->kernel),
                  *signature = symbol_signature(c->kernel);
    return xasprintf("%s, %s%s%s", name, signature, archs ? " for " : "", archs ? archs : "");
  }
  return xasprintf("%s%s%s%s%s", c->blob->stem, c->kernel ? ", kernel " : "",
                   c->kernel ? c->kernel : "", archs ? " for " : "", archs ? archs : "");
}

/* False: ENTRY, which has printed SAID, has made no entry without kernels. */
static bool make_kernel_command(struct compile *c, const struct request *r,
                                const struct argv *entry, const struct buf *said) {
  if (!kernels_command(&c->command, entry, said, c->kernel))
    return false;
  snprintf(c->hex, sizeof c->hex, "%s", kernels_word(&c->command, "--build-id"));
  if (!r->wait)
    argv_add(&c->command, "--unless-busy");
  if (message_is_colored())
    argv_add(&c->command, "--color=always");
  return true;
}

/* JOB has made its entry: the compiles of its kernels may begin. */
static void give_kernels(struct building *b, struct job *job) {
  const struct compile *made = job->user;
  for (size_t i = 1; i <= made->kernels; i++) {
    struct compile *c = job[i].user;
    if (make_kernel_command(c, b->r, &made->command, &job->output))
      job[i].args = c->command.args;
    else
      b->progress.left_out++; /* it is in the blob, which could not be split */
  }
}

static bool may_start(const struct job *job, void *user) {
  (void)job;
  struct building *b = user;
  if (b->r->beside && memory_free() / 2 < b->r->job_memory)
    return false;
  return budget_admits(&b->memory);
}

static void on_tick(void *user) {
  struct building *b = user;
  progress_tick(&b->progress);
}

/* Record JOB in the trace, on the track of its slot. */
static void trace_job(struct building *b, const struct job *job) {
  const struct compile *c = job->user;
  uint64_t start = job->started;
  char status[16], name[32];
  snprintf(status, sizeof status, "%d", job->status);
  for (; b->tracks <= job->place; b->tracks++) {
    snprintf(name, sizeof name, "job %u", b->tracks + 1);
    trace_track(b->tracks + 1, name);
  }
  trace_span("job", c->blob->stem, job->place + 1, start, start + (uint64_t)(job->seconds * 1e6),
             "stem", c->blob->stem, "build_id", c->hex, "archs", c->archs, "status", status, NULL);
  trace_starts(job->place + 1, start, c->hex);
}

static bool on_done(struct job *job, void *user) {
  struct building *b = user;
  struct compile *c = job->user;
  if (trace_wanted() && job->started)
    trace_job(b, job);
  c->again = budget_failed(&b->memory, job) && !b->alone;
  if (c->again) {
    b->again++;
    progress_say(&b->progress, "%s ran out of memory; ckjit will compile it again alone", c->name);
    return true;
  }
  if (c->kernels && !job->status && !b->alone)
    give_kernels(b, job);
  else
    b->progress.left_out += c->kernels; /* they are compiled when they are launched */
  /* Show the first failure in full, while the user can still stop and save time; the others are in
   * the logs. */
  if ((job->status && !b->progress.failed) || b->r->verbose) {
    progress_clear(&b->progress);
    fwrite(job->output.len ? job->output.data : "", 1, job->output.len, stderr);
  }
  progress_done(&b->progress, job);
  return true;
}

/* Run all jobs, as many at a time as processors and memory allow; then retry those that ran out of
 * memory, one at a time. */
static void run_all(struct building *b, struct job *jobs, size_t n) {
  const struct request *r = b->r;
  budget_start(&b->memory, r->job_memory, jobs, n);
  /* memory that nobody asked to observe sets no limit either */
  unsigned most = r->jobs ? r->jobs : ckjit_jobs();
  pool_run_watched(jobs, n, most, r->job_memory ? may_start : NULL, on_tick, on_done, b);
  b->alone = true;
  for (size_t i = 0; b->again && i < n; i++) {
    const struct compile *c = jobs[i].user;
    if (c->again) {
      buf_free(&jobs[i].output);
      pool_run_watched(&jobs[i], 1, 1, NULL, on_tick, on_done, b);
    }
  }
  budget_end(&b->memory);
}

static void list_failures(const struct request *r, const struct job *jobs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct compile *c = jobs[i].user;
    if (jobs[i].status <= 0) /* below: it was skipped */
      continue;
    autofree char *stem = path_stem(kernels_word(&c->command, "--output")),
                  *log = xasprintf("%s/" CKJIT_LOGS "/%s.log", r->cache, stem);
    struct stat st;
    bool says = stat(log, &st) == 0 && st.st_size > 0;
    complain("failed: %s%s%s", c->name, says ? ", log " : "", says ? log : "");
  }
}

/* If a variable names a compiler of KIND to use instead of the build's, does it exist? */
static bool has_compiler_of(const struct compiler *kind, char **err) {
  const char *set = env_get(kind->variable);
  autofree char *found = set ? path_which(set) : NULL;
  if (set && !found)
    *err = xasprintf("%s='%s' %s; set it to the real %s, or unset it", kind->variable, set,
                     path_which_why(set), kind->name);
  return !set || found;
}

static bool has_compiler(const struct request *r, char **err) {
  for (size_t i = 0; i < r->nblobs; i++)
    if (!has_compiler_of(manifest_kind(r->m, &r->m->groups[r->blobs[i]->group]), err))
      return false;
  return true;
}

/* The kernels of C's blob that are wanted; NULL: the whole blob is. */
static const struct argv *kernels_of(const struct request *r, const struct compile *c) {
  static const struct argv none;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (r->check)
    return c->blob->unit || cache_key_apart(r, c->blob, c->archs, id) ? &none : NULL;
  const struct argv *kernels = kernels_wanted(r, c->blob);
  return c->blob->unit || (kernels && cache_key_apart(r, c->blob, c->archs, id)) ? kernels : NULL;
}

static struct job *add_job(struct building *b, struct job *jobs, struct compile *compiles,
                           struct compile c) {
  struct compile *to = &compiles[b->progress.n];
  struct job *job = &jobs[b->progress.n++];
  *to = c;
  to->name = make_name(to, b->r);
  *job = (struct job){.args = to->command.args, .user = to};
  return job;
}

/* Does the cache have the result of C's command? */
static bool is_made(const struct compile *c, const struct request *r) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  autofree char *stem = path_stem(kernels_word(&c->command, "--output"));
  const char *why;
  return ckjit_build_id_parse(id, c->hex) &&
         ckjit_entry_find(path, r->cache, stem, strlen(stem), id, &why);
}

/* Plan the entry without kernels of C's blob, unless it exists, followed by those of its KERNELS
 * that the cache lacks. */
static void plan_kernels(struct building *b, struct job *jobs, struct compile *compiles,
                         struct compile c, const struct argv *kernels, const char *program) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX], stored[CKJIT_BUILD_ID_HEX_SIZE];
  c.kernels = kernels->n;
  c.apart = true;
  make_command(&c, b->r, program);
  bool there = cache_key_apart(b->r, c.blob, c.archs, id) && cache_find_id(b->r, c.blob, id, path);
  const uint8_t *variant = cache_variant(id);
  autofree_buf said = {0};
  if (variant) {
    ckjit_build_id_hex(stored, variant);
    buf_printf(&said, CKJIT_STORED "%s\n", stored);
  }
  struct job *entry = there ? NULL : add_job(b, jobs, compiles, c);
  for (size_t i = 0; i < kernels->n; i++) {
    struct compile kernel = {.blob = c.blob, .archs = c.archs, .kernel = kernels->args[i]};
    if (!there)
      add_job(b, jobs, compiles, kernel)->after = entry;
    else if (make_kernel_command(&kernel, b->r, &c.command, &said) && !is_made(&kernel, b->r))
      add_job(b, jobs, compiles, kernel);
    else
      argv_free(&kernel.command);
  }
  if (there)
    argv_free(&c.command);
}

/* Plan those KERNELS of C's blob, a lazy unit, that the cache lacks. */
static void plan_unit(struct building *b, struct job *jobs, struct compile *compiles,
                      struct compile c, const struct argv *kernels, const char *program) {
  char path[PATH_MAX];
  for (size_t i = 0; i < kernels->n; i++) {
    struct compile one = {.blob = c.blob, .archs = c.archs, .kernel = kernels->args[i]};
    if (cache_find_kernel(b->r, c.blob, c.archs, one.kernel, path))
      continue;
    make_command(&one, b->r, program);
    add_job(b, jobs, compiles, one);
  }
}

static void plan(struct building *b, struct compile *compiles, struct job *jobs,
                 const char *program) {
  const struct request *r = b->r;
  for (size_t i = 0; i < r->nblobs; i++) {
    const struct argv *lists = &r->archs[r->blobs[i]->group];
    for (size_t k = 0; k < lists->n; k++) {
      if (cache_has(r, r->blobs[i], lists->args[k]))
        continue;
      struct compile c = {.blob = r->blobs[i], .archs = lists->args[k], .ms = r->ms ? r->ms[i] : 0};
      const struct argv *kernels = kernels_of(r, &c);
      if (kernels) {
        (c.blob->unit ? plan_unit : plan_kernels)(b, jobs, compiles, c, kernels, program);
        continue;
      }
      make_command(&c, r, program);
      add_job(b, jobs, compiles, c);
    }
  }
}

/* The number of wanted entries. */
static size_t count_entries(const struct request *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->nblobs; i++) {
    const struct argv *lists = &r->archs[r->blobs[i]->group];
    for (size_t k = 0; k < lists->n; k++) {
      const struct argv *kernels =
          kernels_of(r, &(struct compile){.blob = r->blobs[i], .archs = lists->args[k]});
      n += !(kernels && r->blobs[i]->unit) + (kernels ? kernels->n : 0);
    }
  }
  return n;
}

/* Find the variants that a job here would load, of those that the cache has of B's compiles. Only
 * ckjit-compile can compare compilers and headers. False: there is none. */
static bool find_variants(const struct building *b) {
  struct request any = *b->r;
  autofree struct job *jobs = xcalloc(b->progress.n + 1, sizeof *jobs);
  autofree struct argv *commands = xcalloc(b->progress.n + 1, sizeof *commands);
  size_t n = 0, found = 0;
  archs_choose_any(&any);
  for (size_t i = 0; i < b->progress.n; i++) {
    struct compile *c = b->jobs[i].user;
    autofree char *stem = c->command.n ? path_stem(kernels_word(&c->command, "--output")) : NULL;
    const struct argv *lists = &any.archs[c->blob->group];
    if (!stem || !packcache_has_variant(b->r->cache, stem, c->blob->key, lists))
      continue;
    argv_add_all(&commands[n], c->command.args);
    argv_add(&commands[n], "--look");
    jobs[n] = (struct job){.args = commands[n].args, .user = c};
    n++;
  }
  pool_run(jobs, n, ckjit_jobs(), NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    const struct compile *c = jobs[i].user;
    uint8_t id[CKJIT_BUILD_ID_SIZE], stored[CKJIT_BUILD_ID_SIZE];
    if (!jobs[i].status && ckjit_build_id_parse(id, c->hex) &&
        kernels_stored(stored, &c->command, &jobs[i].output)) {
      cache_take_variant(id, stored);
      found++;
    }
    buf_free(&jobs[i].output);
    argv_free(&commands[i]);
  }
  return found;
}

static void free_plan(struct building *b) {
  for (size_t i = 0; i < b->progress.n; i++) {
    argv_free(&b->compiles[i].command);
    free(b->compiles[i].name);
  }
  free(b->compiles);
  free(b->jobs);
}

static size_t begin_plan(struct building *b, const struct request *r, const char *program) {
  size_t entries = count_entries(r);
  struct job *jobs = xcalloc(entries, sizeof *jobs);
  *b = (struct building){
      .r = r,
      .jobs = jobs,
      .compiles = xcalloc(entries, sizeof *b->compiles),
      .progress = {
          .jobs = jobs, .verb = "compiled", .name = name_of, .weight = r->ms ? weight_of : NULL}};
  plan(b, b->compiles, jobs, program);
  return entries;
}

/* Plan all compiles that R wants and the cache lacks. PROGRAM is ckjit-compile; NULL: there is
 * none. Returns the number of wanted entries. */
static size_t begin(struct building *b, const struct request *r, const char *program) {
  size_t entries = begin_plan(b, r, program ? program : "ckjit-compile");
  if (program && find_variants(b)) {
    free_plan(b);
    begin_plan(b, r, program);
  }
  return entries;
}

/* Run the planned jobs. Returns their duration in seconds. */
static double run_planned(struct building *b) {
  uint64_t start = trace_now();
  trace_process(program_name);
  progress_start(&b->progress);
  run_all(b, b->jobs, b->progress.n);
  double seconds = progress_end(&b->progress);
  trace_span("build", "build", 0, start, trace_now(), "cache", b->r->cache, "shard",
             b->r->shard_said, NULL);
  return seconds;
}

struct totals {
  size_t compiled, there, failed;
  double seconds;
  /* largest memory of a compile, in bytes */
  uint64_t largest;
};

static _Noreturn void end_idle(const char *why) {
  note("nothing was started: %s", why);
  exit(EXIT_OK);
}

/* Close the open descriptors of the caller: one may be a pipe that somebody reads to its end, or a
 * lock. */
static void close_others(void) {
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
    return;
  for (int fd = 3; fd < 1024; fd++) /* a kernel before 5.9 */
    close(fd);
}

/* `warm` without --wait: continue as a process that nobody waits for, which will compile N entries;
 * only that one returns. The original process reports this and ends; it also ends if there is a
 * reason not to compile now, and prints that. */
static void leave(const struct request *r, size_t n) {
  if (!r->jobs)
    end_idle(
        "only one compile at a time is allowed, and calls come first (--wait compiles anyway)");
  if (r->job_memory && memory_free() / 2 < r->job_memory)
    end_idle("memory does not suffice for a compile besides that of a call (--wait compiles "
             "anyway)");
  close_others();
  if (!used_warmer(r->cache)) /* by a lock that the new process keeps */
    end_idle("another process already compiles ahead into this cache");
  printf("%zu %s compiled in the background, at most %u at a time; `%s status` shows them\n", n,
         noun(n, "kernel is", "kernels are"), r->jobs, help_program());
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0)
    die(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
  if (pid)
    _exit(EXIT_OK);
  setsid(); /* ignore signals for the caller's terminal and group */
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; null >= 0 && fd < 3; fd++)
    dup2(null, fd);
  if (null > 2)
    close(null);
}

/* Compile everything that R wants and the cache lacks. */
static void build_wanted(struct request *r, const char *program, struct totals *t) {
  char *err;
  struct building b;
  size_t entries = begin(&b, r, program), todo = b.progress.n;
  struct job *jobs = b.jobs;
  /* neither is needed if all entries exist */
  if (todo && (!has_compiler(r, &err) || !cachedir_writable(r->cache, &err)))
    die(EXIT_FAILED, "%s", err);
  if (todo && !probe_archs(r, program)) {
    note("%s: nothing was compiled", r->command);
    exit(EXIT_FAILED);
  }
  if (todo && r->beside && !r->wait)
    leave(r, todo);
  t->seconds += run_planned(&b);
  size_t failed = b.progress.failed;
  list_failures(r, jobs, todo);
  t->compiled += todo - failed - b.progress.left_out;
  t->there += entries - todo;
  t->failed += failed;
  if (b.memory.largest > t->largest)
    t->largest = b.memory.largest;
}

/* The entries that B lacks, as planned. */
static void tell_planned(const struct building *b,
                         void (*tell)(const struct lacking *l, void *user), void *user) {
  for (size_t i = 0; i < b->progress.n; i++) {
    const struct compile *c = b->jobs[i].user;
    bool known = c->command.n;
    autofree char *stem = known ? path_stem(kernels_word(&c->command, "--output")) : NULL;
    tell(&(struct lacking){.blob = c->blob,
                           .name = c->name,
                           .kernel = c->kernel,
                           .archs = c->archs,
                           .stem = stem,
                           .build_id = known ? c->hex : NULL},
         user);
  }
}

size_t build_lacks(struct request *r, void (*tell)(const struct lacking *l, void *user),
                   void *user) {
  struct building b;
  autofree char *program = compile_program(r);
  size_t entries = begin(&b, r, program);
  tell_planned(&b, tell, user);
  if (kernels_widen(r)) {
    begin(&b, r, program);
    tell_planned(&b, tell, user);
  }
  return entries;
}

void build_find_variants(const struct request *r) {
  struct building b;
  autofree char *program = compile_program(r);
  if (program)
    begin(&b, r, program);
}

/* The cache then knows the library of its kernels, as after a call of it. */
static void record_manifest(const struct request *r) {
  for (size_t i = 0; i < r->m->libraries.n && !r->beside; i++)
    used_put_manifest(r->cache, path_base(r->m->libraries.args[i]), r->m->file);
}

int prebuild_build(struct request *r) {
  if (ckjit_is_on(env_get("CK_JIT_DISABLE_FILE_CACHING")))
    die(EXIT_FAILED,
        "CK_JIT_DISABLE_FILE_CACHING is set: no library would read the cache %s, into "
        "which %s compiles; unset it",
        r->cache, r->command);
  char *err;
  check_settings();
  if (!cachedir_open(r->cache, &err))
    die(EXIT_FAILED, "%s", err);
  autofree char *program = find_compile(r);
  archs_choose(r);
  archs_tell(r);
  struct totals t = {0};
  record_manifest(r);
  build_wanted(r, program, &t);
  if (!r->check && kernels_widen(r))
    build_wanted(r, program, &t);
  size_t missing = r->check ? check_functions(r) : 0;
  printf("%zu compiled, %zu in the cache already, %zu failed, %.1f s, %s\n", t.compiled, t.there,
         t.failed, t.seconds, r->cache);
  autofree char *largest = human_size(t.largest);
  if (t.largest >= 1000 * 1000)
    printf("peak memory of a compile: %s\n", largest);
  return t.failed || missing ? EXIT_FAILED : EXIT_OK;
}
