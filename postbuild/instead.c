/* instead.c - blobs that cannot be loaded apart from their library, in a home with `units=lazy`:
 * each becomes an ordinary unit of this library. Its host's side is compiled now, and its kernels
 * when they are launched; compiled ahead of time all of them would be now.
 *
 * llama.cpp's 48 template instances forced this: they are blobs by their text, and call
 * ggml_cuda_get_device(), ggml_abort() and others of the library's own.
 *
 * ckjit-unit makes the object, as it does in a build, and ends with an error if the unit cannot be
 * lazy: then it goes ahead of time. A partial link makes none: its output may be linked where there
 * is no home.
 */
#include "link.h"

#include "flags.h"

#include "core/base/install.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"
#include "core/device/rdc.h"
#include "core/files/unitcall.h"

#include <sys/stat.h>
#include <unistd.h>

static bool may_be_unit(const struct link *l, const struct blob *b) {
  const struct record *first = l->blobs[0].record, *r = b->record;
  return !b->rdc && flags_has_device(r) && strcmp(r->compiler, first->compiler) == 0 &&
         r->compiler_kind == first->compiler_kind;
}

/* How PROGRAM makes OBJECT, a unit, of R; HOW: --at-link, or --any-price, with which the object stays
 * in the build, and its record is logged like those of the build. */
static struct step step_of(const struct link *l, const struct record *r, const char *program,
                           const char *object, const char *how) {
  struct step s = {.plain = true};
  struct argv words = {0};
  autofree_argv call = {0}, options = {0};
  flags_code(&s.args, r);
  step_source(&s, r, r->source, object);
  step_command(&call, &s);
  struct record made = *r;
  made.output = (char *)object;
  made.args = call;
  argv_add(&options, how);
  home_unit_options(l->home, &options);
  unitcall_words(&words, program, &options, l->work, &made, &s.args);
  argv_free(&s.args);
  s.args = words;
  return s;
}

/* ---- what the object says of itself ---- */

/* The record of the unit in OBJECT, for record_free() and free(); NULL: it has none, or its text is
 * gone. */
static struct record *record_in(const char *object) {
  struct record *r = unitcall_record(object, NULL);
  if (!r)
    return NULL;
  if (r->kind == RECORD_UNIT && file_exists(r->device_text)) {
    record_scan(r);
    return r;
  }
  record_free(r);
  free(r);
  return NULL;
}

/* A step is fresh by its command and the files that it reads. The text that OBJECT names is a
 * separate file, and PROGRAM may belong to another ckjit now. */
static void forget_old(const char *object, const char *program) {
  struct stat st;
  autofree struct record *r =
      stat(object, &st) || file_changed_since(program, st.st_mtim) ? NULL : record_in(object);
  if (!r) {
    unlink(object);
    return;
  }
  record_free(r);
}

/* A unit that the compiler refused to forward is no longer ahead of time. */
static void forget_refused(struct link *l, const char *source) {
  struct argv left = {0};
  for (size_t i = 0; i < l->refused.n; i++)
    if (strcmp(l->refused.args[i], source) != 0)
      argv_add(&left, l->refused.args[i]);
  argv_free(&l->refused);
  l->refused = left;
}

static void take_unit(struct link *l, struct blob *b, const char *object) {
  autofree char *obstacle = calls_obstacle(object);
  struct record *r = obstacle ? NULL : record_in(object);
  if (!r)
    return;
  free(r->output); /* the object that the build made shows the fate of a unit */
  r->output = xstrdup(b->record->output);
  lazy_units_make(&l->lazy, r, object);
  blob_settle(b, BLOB_UNIT, xstrdup(b->reason));
  forget_refused(l, record_place(b->record));
  l->line.stubs_stay = true; /* the object is one that no other linker takes */
}

/* The step that makes such a unit of B, a blob of the link; a second request finds it fresh. False:
 * B cannot be one. */
static bool link_lazy_step(struct link *l, const struct blob *b, struct step *s) {
  autofree char *program =
      home_wants_units(l->home) && l->line.scan.mode != CC_RELOCATABLE ? install_program("ckjit-unit") : NULL;
  bool may = program && may_be_unit(l, b);
  if (may) {
    autofree char *object =
        xasprintf("%s/objs/made-%zu-%s.o", l->dir, (size_t)(b - l->blobs), b->record->stem);
    forget_old(object, program);
    *s = step_of(l, b->record, program, object, "--at-link");
  }
  return may;
}

/* Make ordinary units of the records of which OBJECTS, by their number, names the object, and put
 * them in their places in the build, as link_put_whole does, because of WHY. One that can be no unit
 * becomes an object as without ckjit. False, and nothing is put: one does not compile. */
static bool link_put_units(struct link *l, char *const *objects, const char *why) {
  autofree char *program = home_wants_units(l->home) ? install_program("ckjit-unit") : NULL;
  autofree struct step *steps = xcalloc(l->line.nrecords + 1, sizeof *steps);
  size_t n = 0;
  bool done = program;
  for (size_t i = 0; i < l->line.nrecords && program; i++)
    if (objects[i]) {
      unlink(objects[i]); /* its text may be gone */
      steps[n++] = step_of(l, &l->line.records[i], program, objects[i], "--any-price");
    }
  steps_run(&l->runner, steps, n);
  for (size_t i = 0; i < n; i++) {
    done &= !steps[i].status; /* one that can be no unit is an object as without ckjit */
    step_free(&steps[i]);
  }
  if (done)
    link_put_compiled(l, objects, why);
  return done;
}

void link_join_rdc(struct link *l, const char *why, char **argv) {
  autofree char **objects = xcalloc(l->line.nrecords + 1, sizeof *objects);
  bool any = false;
  for (size_t i = 0; i < l->line.nrecords; i++) {
    const struct record *r = &l->line.records[i];
    if (r->kind != RECORD_UNIT && rdc_is_asked(&r->cc))
      objects[i] = xasprintf("%s/objs/joined-%zu-%s.o", l->dir, i, r->stem);
    any |= objects[i] != NULL;
  }
  if (any && link_put_units(l, objects, why))
    link_become(l, "/proc/self/exe", argv);
  for (size_t i = 0; i < l->line.nrecords; i++)
    free(objects[i]);
}

/* For what is compiled ahead of time anyway, that compile itself. */
static struct step host_step(const struct link *l, const struct blob *b) {
  return b->fate == BLOB_AHEAD ? link_ahead_step(l, b) : link_host_step(l, b->record, false);
}

void link_compile_for_host(struct link *l, struct blob **blobs, size_t n, link_made *each, void *user) {
  autofree struct step *steps = xcalloc(n + 1, sizeof *steps), *others = xcalloc(n + 1, sizeof *others);
  size_t nothers = 0;
  for (size_t i = 0; i < n; i++)
    if (!link_lazy_step(l, blobs[i], &steps[i]))
      steps[i] = host_step(l, blobs[i]);
  link_run_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    if (!steps[i].status) {
      each(blobs[i], steps[i].object, user);
    } else if (steps[i].plain) { /* it can be no unit */
      others[nothers] = host_step(l, blobs[i]);
      blobs[nothers++] = blobs[i];
    }
    step_free(&steps[i]);
  }
  link_run_steps(l, others, nothers);
  for (size_t i = 0; i < nothers; i++) {
    if (!others[i].status)
      each(blobs[i], others[i].object, user);
    step_free(&others[i]);
  }
}

void link_make_units(struct link *l) {
  autofree struct step *steps = xcalloc(l->nblobs + 1, sizeof *steps);
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_AHEAD && link_lazy_step(l, &l->blobs[i], &steps[n]))
      steps[n++].user = &l->blobs[i];
  link_run_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    if (!steps[i].status)
      take_unit(l, steps[i].user, steps[i].object);
    step_free(&steps[i]);
  }
}
