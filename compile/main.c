/* ckjit-compile - compiles one blob into a shared object, usually into the cache of a running
 * library.
 *
 * The runtime (ck_jit_runtime.c) starts it when a kernel is called that the cache does not hold;
 * ckjit-prebuild starts many; it can be run by hand too, because the command in an error message
 * must be repeatable.
 *
 * It is a separate, small process, so that waiting for a lock, running the compiler, cleaning up
 * after it and dying do not happen in the inference job. Of all processes that want one key, one
 * compiles; the others wait here and then find the entry, or get the failure that they waited for.
 * A call that comes after a failure compiles again.
 *
 *     options    the command line                             options.c
 *     task       the source and its compiler                  request.c, find_compiler.c
 *     inputs     compared with those of the key               inputs.c, variant.c
 *     engine     found, or made in our turn, verified, placed  engine.c
 *     tidy       removes stale entries, enforces the size     core/cache/cachedir.c
 *
 * With --ahead it does none of that: it runs many compiles, beside a compile that a job waits for
 * (ahead.c).
 *
 * Everything but the options is done by a child of the started process, which tidies up if the
 * child is killed (keeper.c).
 *
 * docs/formats.md has the command line. Exit status: 0 the file exists, 1 it could not be made, 2
 * wrong command line.
 */
#include "ahead.h"
#include "fetch.h"
#include "carried.h"
#include "inputs.h"
#include "keeper.h"
#include "engine.h"
#include "options.h"
#include "request.h"
#include "task.h"
#include "trace.h"
#include "place.h"
#include "turn.h"
#include "variant.h"
#include "core/base/ids.h"
#include "core/base/trace.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/cache/holder.h"
#include "core/cache/lock.h"
#include "core/cache/artefact.h"
#include "core/cache/used.h"
#include "core/files/home.h"
#include "core/files/manifest.h"

#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The process that starts us may have closed the standard streams (core/base/streams.h), ignore
 * SIGCHLD (then there is no exit status to wait for) or end while we write to it. */
static void make_sane(void) {
  streams_open(false);
  if (getauxval(AT_SECURE))
    clearenv(); /* the compiler reads more of it than we do */
  autofree char *cwd = getcwd(NULL, 0);
  if (!cwd && chdir("/"))
    exit(EXIT_FAILED);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* The write fails then, and the failure is reported. */
}

/* Record in the cache DIR which manifest the calling library has: it lies beside the directory of
 * the lists of inputs, or in the root. `ckjit list` and the like then need no --manifest. */
static void record_manifest(const struct compile_options *o, const char *dir) {
  autofree char *lists = o->inputs ? path_dir(o->inputs) : NULL, *above = lists ? path_dir(lists) : NULL;
  const char *places[] = {above, o->root};
  for (size_t i = 0; i < 2; i++) {
    autofree char *file = places[i] ? path_abs_in(places[i], MANIFEST_NAME) : NULL;
    bool found = file && file_exists(file);
    if (found)
      used_put_manifest(dir, o->used_by, file);
    if (found)
      break;
  }
}

/* A call waits for this. That is of use when all keys are new, after an upgrade
 * (core/cache/used.h). The keeper records it, which has the time. */
static void record_use(const void *data) {
  const struct compile_options *o = data;
  autofree char *dir = path_dir(o->output), *stem = path_stem(o->output);
  char *err;
  struct artefact_name name;
  artefact_stem_read(&name, stem);
  if (o->kernel)
    stem[name.stem] = 0;
  if (!used_record(dir, o->used_by, stem, o->kernel, &err)) {
    autofree char *line = xasprintf(CKJIT_UNRECORDED "%s\n", err);
    if (write(STDOUT_FILENO, line, strlen(line)) < 0)
      return; /* nobody hears it */
    free(err);
  }
  record_manifest(o, dir);
}

/* Make the root what the bundle in FILE has. READY: T has all that it needs, or *ERR says why not; it
 * may find its kernel in a pack then. */
static bool unpack(struct compile_task *t, const char *file, bool ready, bool *found, char **err) {
  autofree char *release = NULL;
  char *why = NULL;
  uint64_t start = trace_now();
  bool good = carried_unpack(t, file, &release, &why);
  if (good && ready)
    ready = carried_takes(t, file, release, err);
  if (good && !ready && t->cache && cachedir_open(t->dir, &why)) {
    carried_add_packs(t, file);
    *found = entry_is_there(t);
    if (!*found)
      carried_tell_ways(t, file, err);
  }
  if (why) {
    free(*err);
    *err = why;
  }
  compile_trace_span("bundle", start, good ? "0" : *err);
  return good && ready;
}

static bool check_inputs(struct compile_task *t, char **err) {
  uint64_t start = trace_now();
  bool good = compile_inputs_check(t, err);
  compile_trace_span("inputs", start, good ? "0" : *err);
  return good;
}

static bool say_it_is_there(const struct compile_task *t) {
  if (t->verbose)
    note("%s: it is in the cache", t->stem);
  if (place_has(t))
    keeper_needed();
  puts(CKJIT_MADE_BY_OTHERS);
  return true;
}

/* Is another process compiling it? A first look, before files are read and the compiler is asked:
 * the lock itself is taken without waiting later on (turn.c). */
static bool is_busy(const struct compile_task *t) {
  autofree char *lock = cachedir_lock_path(t->dir, t->hex);
  int fd;
  enum lock_state state = lock_try(&fd, lock);
  lock_release(fd, lock);
  return state == LOCK_HELD;
}

/* Does the cache have what a compile of T here would make? It may be a variant. */
static bool look(struct compile_task *t, char **err) {
  bool there = entry_is_there(t) || (check_inputs(t, err) && entry_is_there(t));
  if (there)
    return say_it_is_there(t);
  return *err ? false : task_fail(t, err, "the cache %s does not have it", t->dir);
}

static bool make(struct compile_task *t, char **err) {
  if (t->call.look)
    return look(t, err);
  if (t->cache && !cachedir_open(t->dir, err))
    return false;
  if (t->call.unless_busy && is_busy(t))
    return true;
  if (t->cache && (entry_is_there(t) || fetch_entry(t)))
    return say_it_is_there(t);
  if (!check_inputs(t, err))
    return false;
  /* Its inputs were read: an entry that was there may be evicted by the time that it is our
   * turn. */
  enum whose whose;
  bool done = need(t, &whose, err);
  /* what others left behind, and what is too much */
  if (t->cache && whose == TURN_OURS)
    cachedir_tidy(t->dir, &t->limits, t->placed);
  if (whose == TURN_READY)
    say_it_is_there(t);
  return done || whose == TURN_OTHERS;
}

int main(int argc, char **argv) {
  if (argc < 1)
    return EXIT_USAGE;
  program_name = "ckjit-compile";
  ids_settle();
  uint64_t start = trace_now();
  long starter = getppid();
  make_sane();
  home_leave_any();
  struct compile_options options;
  compile_options_read(&options, argv);
  if (options.ahead)
    ahead_run(&options);
  keeper_start(options.output_fd >= 0 || options.unless_busy, options.used_by ? record_use : NULL, &options,
               options.function);

  compile_trace_start(starter, start);
  /* of what is compiled ahead the starter is another of us */
  holder_works_for(options.unless_busy ? 0 : starter);
  struct compile_task task = {0};
  char *err = NULL;
  bool done = request_read(&task, &options, &err);
  task.starter = starter;
  compile_trace_task(&task);
  bool found = false;
  if (options.bundle && task.output)
    done = unpack(&task, options.bundle, done, &found, &err);
  if (done && !found)
    carried_adapt(&task);
  done = found ? say_it_is_there(&task) : done && make(&task, &err);
  if (!options.look)
    compile_stats_record(&task, options.used_by, done);
  if (done)
    variant_tell(&task);
  task_free(&task);
  compile_options_free(&options);
  compile_trace_end(done ? "0" : err);
  if (!done)
    die(EXIT_FAILED, "%s", err);
  return EXIT_OK;
}
