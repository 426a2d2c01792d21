/* alone.c - the functions of a HIP blob that launch nothing, without its kernels: see alone.h.
 *
 * The host's object is linked as the blob's is, with two differences. Of its functions only those are exported that are of the host alone. And what
 * registers the kernels when it is loaded returns at once, for they are not there. All else that begins with the library stays: a stream
 * of the C++ library that such a function writes to is ready when its object says so.
 */
#include "alone.h"
#include "entry.h"
#include "functions.h"
#include "compile/keeper.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is linked, in a process of its own ---- */

static bool write_exports(const char *file, const struct argv *names) {
  struct buf out = {0};
  buf_puts(&out, "{ global:\n");
  for (size_t i = 0; i < names->n; i++)
    buf_printf(&out, "%s;\n", names->args[i]);
  buf_puts(&out, "local: *; };\n");
  bool done = file_write(file, out.data, out.len, 0600);
  buf_free(&out);
  return done;
}

static int before_link(void *data) {
  const struct hostalone *s = data;
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(s->object, &len);
  bool done = bytes && hostonly_find(&h, bytes, len) && hostonly_has(&h, s->t->function) &&
              hostonly_registers_nothing(bytes, len) && file_write(s->copy, bytes, len, 0600) &&
              write_exports(s->exports, &h.functions);
  hostonly_free(&h);
  free(bytes);
  return done ? -1 : EXIT_FAILED;
}

/* ---- its name ---- */

/* It is there, or cannot be. LEFT: the device pass has not ended. True: it shall. */
static bool made(void *data, bool left) {
  const struct hostalone *s = data;
  bool kept = left && file_exists(s->file) && hostonly_keep(s->t, s->file, s->depfile);
  if (!kept)
    hostonly_tell_not(s->t);
  else if (s->t->verbose)
    note("%s: the function that is called launches nothing: the kernels are not compiled", s->t->stem);
  return kept;
}

/* ---- the step ---- */

void hostalone_plan(struct hostalone *s, struct plan *plan, const struct compile_task *t,
                    const char *temporary) {
  const struct step *host = &plan->steps[plan->host];
  *s = (struct hostalone){.t = t,
                          .object = host->output,
                          .depfile = host->depfile,
                          .copy = path_join(temporary, "alone.o"),
                          .exports = path_join(temporary, "alone-exports"),
                          .file = path_join(temporary, "alone.so")};
  struct argv link = {0};
  if (!t->alone || !hostonly_may_do(t) || plan->n + 1 > PLAN_STEPS ||
      !hostonly_link(&link, t, &plan->steps[plan->last].words, s->object,
                     &(struct argv){.args = &s->copy, .n = 1}, s->file)) {
    argv_free(&link);
    return;
  }
  argv_addf(&link, "--version-script=%s", s->exports);
  size_t step = plan->n++;
  plan->steps[step] = (struct step){.role = STEP_OTHER,
                                    .name = "host link",
                                    .words = link,
                                    .after = UINT64_C(1) << plan->host,
                                    .optional = true,
                                    .prepare = before_link,
                                    .data = s};
  plan->steps[plan->last].after |= UINT64_C(1) << step; /* which writes to the object */
  plan->side = step;
  plan->suffices = made;
  plan->data = s;
}

void hostalone_free(struct hostalone *s) {
  free(s->copy);
  free(s->exports);
  free(s->file);
}
