/* engine.c - what a task asks for: found in the cache, or made in our turn.
 *
 *     find      is it in the cache?                          place.c, hostonly/alone.c
 *     turn      of all processes that want it, one makes it  turn.c
 *     needs     made first, by this engine, are
 *               the objects that a blob is linked of         parts.c
 *               the bitcode of a unit's front end            unit/cuda.c
 *               the parts of a device link                   unit/linked.c
 *     make      in a directory of its own, made is
 *               an export                                    export/export.c
 *               a kernel, from its unit's text               unit/unit.c
 *               a blob of CUDA without its kernels           unit/late.c
 *               a blob, linked of objects                    parts_link.c
 *               any other blob or object, from its source    source.c
 *     verify    by and of what the key says?                 inputs.c, verify.c, variant.c
 *     place     check, seal, sync, rename                    place.c
 */
#include "engine.h"
#include "child.h"
#include "inputs.h"
#include "keeper.h"
#include "log.h"
#include "parts.h"
#include "place.h"
#include "places.h"
#include "source.h"
#include "tell.h"
#include "trace.h"
#include "variant.h"
#include "verify.h"
#include "compile/unit/late.h"
#include "compile/export/export.h"
#include "compile/hostonly/alone.h"
#include "compile/unit/linked.h"
#include "compile/unit/unit.h"
#include "core/base/path.h"
#include "core/base/trace.h"
#include "core/cache/owned.h"

#include <unistd.h>

/* one task being made */
struct work {
  struct compile_task *t;
  bool of_parts;
  struct parts parts;
  char *temporary, *file, *log; /* the directory; the result and the log in it */
  struct places *places;        /* T's; a copy of T, such as a front end's task, has its own */
  uint64_t start;               /* when T itself began, after all that it needs */
};

static bool make_of_parts(struct work *w, char **err) {
  return (w->t->cache || parts_make(&w->parts, w->t, NULL, w->temporary, err)) &&
         parts_link(&w->parts, w->t, w->temporary, w->file, w->log, err);
}

static bool make_file(struct work *w, char **err) {
  struct compile_task *t = w->t;
  if (t->kernel && !t->export.format)
    return unit_make(t, w->temporary, w->file, err);
  if (t->per_kernel && late_make(t, w->temporary, w->file))
    return true;
  if (t->per_kernel) { /* whole, and under the build id for that */
    t->per_kernel = false;
    variant_identify(t);
  }
  return t->export.format ? export_make(t, w->temporary, w->file, err)
         : w->of_parts    ? make_of_parts(w, err)
                          : source_make(t, w->temporary, w->file, w->log, err);
}

/* Publish the result if the inputs have not changed since the key was computed. */
static bool keep(struct work *w, char **err) {
  struct compile_task *t = w->t;
  uint64_t start = trace_now();
  if (!compile_inputs_again(t, err) || !verify_made(t, err) || !variant_made(t, w->file, err))
    return false;
  if (!t->export.probe && !(t->export.format ? export_place(t, w->file, err) : place_result(t, w->file, err)))
    return false;
  compile_trace_span("place", start, "0");
  if (t->cache && !t->fragment) {
    compile_time_record(t, w->start, true);
    hostonly_outdate(t);
  }
  if (w->of_parts)
    parts_remember(&w->parts, t);
  linked_remember(t);
  return true;
}

/* Get what it needs into the cache, then a directory. In this order: each part has a directory of
 * its own while it is made, and only one is removed if we are killed. */
static bool begin(struct work *w, char **err) {
  struct compile_task *t = w->t;
  w->of_parts = parts_are_needed(t);
  if (w->of_parts && t->export.format)
    return task_fail(t, err,
                     "it is linked of fragments (-fgpu-rdc), which are not exported; "
                     "give its library to `ckjit build` and take the file from the cache");
  if (t->cache && !(w->of_parts ? parts_make(&w->parts, t, need, NULL, err) : unit_needs(t, need, err)))
    return false;
  if (!(w->temporary = place_temporary(t, err)))
    return false;
  t->temporary = w->temporary; /* the compiler's own temporary files go with it */
  w->file = xasprintf("%s/%s.%s", w->temporary, t->stem, t->fragment ? "o" : "so");
  w->log = path_join(w->temporary, "log");
  stop_catch(w->temporary);
  keeper_removes(w->temporary);
  deadline_set(t->timeout);
  w->start = trace_now();
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

/* begin() and make_file(), and again if a name may have led elsewhere while it was made. A mount
 * that came and went is one of another job on most machines, and is not believed to do that each
 * time. */
static bool make_in_place(struct work *w, char **err) {
  enum { TRIES = 3 };
  struct compile_task *t = w->t;
  for (int i = 1;; i++) {
    places_free(w->places);
    t->places = w->places = places_take(t);
    if (!begin(w, err) || !make_file(w, err))
      return false;
    if (i == TRIES || t->export.format || (!places_changed(w->places) && places_mounts_same(w->places)))
      return true;
    if (t->verbose)
      note(
          "%s: a directory, link or mount on the way to its inputs changed while it was compiled: compiling it again",
          t->stem);
    end(w);
  }
}

static bool make_task(struct compile_task *t, char **err) {
  struct work w = {.t = t};
  if (parts_are_needed(t))
    keeper_needed();
  bool done = make_in_place(&w, err);
  if (w.temporary) {
    bool host = done && t->call.function && !file_exists(w.file); /* which has its name */
    done = done && (host || keep(&w, err));
    if (done && !host)
      keeper_needed();
    if (!done && !t->export.format) /* of an export nothing is left but the message */
      log_keep(t, w.log, err);
    if (done)
      log_show(t, w.log, w.temporary);
    if (!done && t->cache && !t->fragment)
      compile_time_record(t, w.start, false);
  }
  end(&w);
  places_free(w.places);
  t->places = NULL;
  return done;
}

bool need(struct compile_task *t, enum whose *whose, char **err) {
  struct turn turn;
  bool done;
  *whose = TURN_OURS;
  if (!t->cache) {
    tell_ours(t);
    return make_task(t, err);
  }
  do {
    if ((*whose = turn_take(&turn, t, err)) != TURN_OURS)
      return *whose == TURN_READY;
    done = make_task(t, err);
  } while (turn_end(&turn, done ? NULL : err));
  return done;
}
