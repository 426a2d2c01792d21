/* make.c - one task made, in a directory of its own, and given its name.
 *
 * What is made differs, and so does what it is made by; the directory, the checks behind it and the name are
 * the same for all:
 *
 *     a kernel of CUDA, from its blob's entry     compile/cuda/kernel.c
 *     a blob of CUDA without its kernels          compile/cuda/entry.c, if it can be taken apart
 *     an export                                   compile/export/export.c
 *     a blob that is linked of parts              parts.c, parts_link.c
 *     any other blob, from its source             compile_from_source
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
#include "run.h"
#include "trace.h"
#include "variant.h"
#include "with_launcher.h"
#include "compile/cuda/entry.h"
#include "compile/cuda/kernel.h"
#include "compile/export/export.h"
#include "core/base/path.h"
#include "core/base/trace.h"

#include <stdlib.h>
#include <unistd.h>

/* one task being made */
struct work {
  struct compile_task *t;
  bool of_parts;
  struct parts parts;
  char *temporary, *file, *log; /* the directory; the result and the log in it */
};

char *compile_from_source(const struct compile_task *t, const struct argv *command, const char *temporary,
                          const char *output, const char *log) {
  if (compile_with_launcher(t, temporary, output))
    return NULL;
  struct argv suspects = {0};
  char *why = NULL;
  if (t->launcher.n || !compile_passes(t, command, temporary, output, &suspects))
    why = compile_run(t, command, log);
  for (size_t i = 0; i < suspects.n && !why; i++)
    unlink(suspects.args[i]);
  argv_free(&suspects);
  return why;
}

/* A blob by its plain command. AFTER_ALL: its kernels were to be left for later, and could not be. */
static char *make_whole(const struct work *w, bool after_all) {
  struct argv command = {0};
  compile_command(&command, w->t, w->file);
  if (after_all)
    argv_add(&command, "--split-compile=0"); /* all processors for what somebody waits for */
  else if (!w->t->launcher.n)
    compile_say(w->t, &command);
  char *why = compile_from_source(w->t, &command, w->temporary, w->file, w->log);
  argv_free(&command);
  return why;
}

static char *make_of_parts(struct work *w) {
  char *why = w->t->cache ? NULL : parts_make(&w->parts, w->t, w->temporary);
  return why ? why : parts_link(&w->parts, w->t, w->temporary, w->file, w->log);
}

static char *make_file(struct work *w) {
  struct compile_task *t = w->t;
  if (t->kernel)
    return compile_cuda_kernel(t, w->temporary, w->file);
  if (t->per_kernel && compile_cuda(t, w->temporary, w->file))
    return NULL;
  bool after_all = t->per_kernel;
  if (after_all) { /* whole, and under the build id for that */
    t->per_kernel = false;
    compile_variant_identify(t);
  }
  if (t->format)
    return compile_export(t, w->temporary, w->file);
  return w->of_parts ? make_of_parts(w) : make_whole(w, after_all);
}

/* What was made still is what the key says: give it its name. */
static char *keep(struct work *w) {
  struct compile_task *t = w->t;
  uint64_t start = trace_now();
  char *why = compile_inputs_again(t);
  if (!why)
    why = compile_variant_made(t, w->file);
  if (!why && !t->probe)
    why = t->format ? compile_export_place(t, w->file) : compile_place(t, w->file);
  if (why)
    return why;
  compile_trace_span("place", start, "0");
  if (t->cache)
    compile_time_record(t);
  if (w->of_parts)
    parts_remember(&w->parts, t);
  return NULL;
}

/* Get the parts into the cache, then a directory. In this order: each part has a directory of its own
 * while it is made, and only one is removed if we are killed. */
static char *begin(struct work *w, bool locked) {
  const struct compile_task *t = w->t;
  w->of_parts = parts_are_needed(t);
  if (w->of_parts && t->format)
    return xasprintf("%s: it is linked of fragments (-fgpu-rdc), which are not exported; give its library to "
                     "`ckjit-prebuild build` and take the file from the cache",
                     t->stem);
  char *why = w->of_parts && t->cache ? parts_make(&w->parts, t, NULL) : NULL;
  if (!why)
    why = compile_temporary(&w->temporary, t, locked);
  if (why)
    return why;
  w->file = xasprintf("%s/%s.so", w->temporary, t->stem);
  w->log = path_join(w->temporary, "log");
  compile_stop_catch(w->temporary);
  compile_keeper_removes(w->temporary);
  compile_deadline(t->timeout);
  return NULL;
}

static void end(struct work *w) {
  if (w->temporary) {
    compile_stop_release();
    dir_remove(w->temporary);
    compile_keeper_removes("");
  }
  parts_free(&w->parts);
  free(w->temporary);
  free(w->file);
  free(w->log);
}

char *compile_make(struct compile_task *t, bool locked) {
  struct work w = {.t = t};
  char *why = begin(&w, locked);
  if (!why) {
    why = make_file(&w);
    if (!why)
      why = keep(&w);
    if (why && !t->format) /* of an export nothing is left but the message */
      why = compile_log_keep(t, w.log, why);
  }
  end(&w);
  return why;
}
