/* make.c - one task made, in a directory of its own, and given its name.
 *
 * What is made differs, and so does what it is made by; the directory, the checks behind it and the name are
 * the same for all:
 *
 *     a kernel of CUDA, from its blob's entry     compile/cuda/kernel.c
 *     a kernel of a lazy unit, from its text      compile/unit/unit.c
 *     a blob of CUDA without its kernels          compile/cuda/entry.c, if it can be taken apart
 *     an export                                   compile/export/export.c
 *     a blob that is linked of parts              parts.c, parts_link.c
 *     its functions that launch nothing           compile/hostonly/alone.c
 *     any other blob, from its source             make_from_source
 */
#include "make.h"
#include "child.h"
#include "command.h"
#include "inputs.h"
#include "keeper.h"
#include "log.h"
#include "parts.h"
#include "passes.h"
#include "place.h"
#include "places.h"
#include "run.h"
#include "trace.h"
#include "seen.h"
#include "variant.h"
#include "verify.h"
#include "with_launcher.h"
#include "compile/cuda/entry.h"
#include "compile/cuda/kernel.h"
#include "compile/export/export.h"
#include "compile/hostonly/alone.h"
#include "compile/unit/cuda.h"
#include "compile/unit/linked.h"
#include "compile/unit/unit.h"
#include "core/base/path.h"
#include "core/base/trace.h"
#include "core/cache/owned.h"

#include <stdlib.h>
#include <unistd.h>

/* one task being made */
struct work {
  struct compile_task *t;
  bool of_parts;
  struct parts parts;
  char *temporary, *file, *log; /* the directory; the result and the log in it */
  struct places *places;        /* T's; a copy of T, such as a front end's task, has its own */
};

/* Run the plain COMMAND, and have it say what it runs and reads. */
static bool run_verified(const struct compile_task *t, const struct argv *command, const char *temporary,
                         const char *log, char **err) {
  verify_begin(t, command, temporary);
  bool done = run_command(t, command, log, err);
  verify_end(t, command, temporary);
  return done;
}

bool make_from_source(const struct compile_task *t, const struct argv *command, const char *temporary,
                      const char *output, const char *log, char **err) {
  seen_again(t);
  if (!hostonly_may_do(t))
    keeper_needed();
  compile_time_anew();
  if (with_launcher_make(t, temporary, output))
    return true;
  compile_time_anew();
  struct argv suspects = {0};
  bool done = !t->launcher.n && passes_make(t, command, temporary, output, &suspects);
  if (!done) {
    keeper_needed();
    compile_time_anew();
  }
  if (!done && run_verified(t, command, temporary, log, err)) {
    done = true;
    for (size_t i = 0; i < suspects.n; i++)
      unlink(suspects.args[i]);
  }
  argv_free(&suspects);
  return done;
}

/* A blob by its plain command. AFTER_ALL: its kernels were to be left for later, and could not be. */
static bool make_whole(const struct work *w, bool after_all, char **err) {
  struct argv command = {0};
  command_plain(&command, w->t, w->file);
  if (after_all)
    argv_add(&command, "--split-compile=0"); /* all processors for what somebody waits for */
  else if (!w->t->launcher.n)
    say_command(w->t, &command);
  bool done = make_from_source(w->t, &command, w->temporary, w->file, w->log, err);
  argv_free(&command);
  return done;
}

static bool make_of_parts(struct work *w, char **err) {
  return (w->t->cache || parts_make(&w->parts, w->t, w->temporary, err)) &&
         parts_link(&w->parts, w->t, w->temporary, w->file, w->log, err);
}

static bool make_file(struct work *w, char **err) {
  struct compile_task *t = w->t;
  if (t->kernel && !t->format)
    return t->of_unit ? unit_make(t, w->temporary, w->file, err)
                      : cuda_kernel_make(t, w->temporary, w->file, err);
  if (t->per_kernel && cuda_entry_make(t, w->temporary, w->file))
    return true;
  bool after_all = t->per_kernel;
  if (after_all) { /* whole, and under the build id for that */
    t->per_kernel = false;
    variant_identify(t);
  }
  if (t->format)
    return export_make(t, w->temporary, w->file, err);
  return w->of_parts ? make_of_parts(w, err) : make_whole(w, after_all, err);
}

/* Publish the result if the inputs have not changed since the key was computed. */
static bool keep(struct work *w, char **err) {
  struct compile_task *t = w->t;
  uint64_t start = trace_now();
  if (!compile_inputs_again(t, err) || !verify_made(t, err) || !variant_made(t, w->file, err))
    return false;
  if (!t->probe && !(t->format ? export_place(t, w->file, err) : place_result(t, w->file, err)))
    return false;
  compile_trace_span("place", start, "0");
  if (t->cache) {
    compile_time_record(t);
    hostonly_outdate(t);
  }
  if (w->of_parts)
    parts_remember(&w->parts, t);
  linked_remember(t);
  return true;
}

/* Get the parts, or a unit's bitcode, into the cache, then a directory. In this order: each part has a directory of its own
 * while it is made, and only one is removed if we are killed. */
static bool begin(struct work *w, char **err) {
  struct compile_task *t = w->t;
  w->of_parts = parts_are_needed(t);
  if (w->of_parts && t->format)
    return task_fail(t, err,
                     "it is linked of fragments (-fgpu-rdc), which are not exported; "
                     "give its library to `ckjit build` and take the file from the cache");
  if ((w->of_parts && t->cache && !parts_make(&w->parts, t, NULL, err)) || !cudaunit_front_get(t, err))
    return false;
  if (!(w->temporary = place_temporary(t, err)))
    return false;
  t->temporary = w->temporary; /* the compiler's own temporary files go with it */
  w->file = xasprintf("%s/%s.so", w->temporary, t->stem);
  w->log = path_join(w->temporary, "log");
  stop_catch(w->temporary);
  keeper_removes(w->temporary);
  deadline_set(t->timeout);
  return task_use_text(t, err);
}

static void end(struct work *w) {
  if (w->temporary) {
    stop_release();
    owned_remove(w->temporary);
    keeper_removes("");
    w->t->temporary = NULL;
  }
  parts_free(&w->parts);
  free(w->temporary);
  free(w->file);
  free(w->log);
  w->temporary = w->file = w->log = NULL;
}

/* begin() and make_file(), and again if a name may have led elsewhere while it was made. A mount that came and went is one of another job on
 * most machines, and is not believed to do that each time. */
static bool make_in_place(struct work *w, char **err) {
  enum { TRIES = 3 };
  struct compile_task *t = w->t;
  for (int i = 1;; i++) {
    places_free(w->places);
    t->places = w->places = places_take(t);
    if (!begin(w, err) || !make_file(w, err))
      return false;
    if (i == TRIES || t->format || (places_same(w->places) && places_mounts_same(w->places)))
      return true;
    if (t->verbose)
      note(
          "%s: a directory, link or mount on the way to its inputs changed while it was compiled: compiling it again",
          t->stem);
    end(w);
  }
}

bool make_task(struct compile_task *t, char **err) {
  struct work w = {.t = t};
  if (parts_are_needed(t))
    keeper_needed();
  bool done = make_in_place(&w, err);
  if (w.temporary) {
    bool host = done && t->function && !file_exists(w.file); /* which has its name */
    done = done && (host || keep(&w, err));
    if (done && !host)
      keeper_needed();
    if (!done && !t->format) /* of an export nothing is left but the message */
      log_keep(t, w.log, err);
  }
  end(&w);
  places_free(w.places);
  t->places = NULL;
  return done;
}
