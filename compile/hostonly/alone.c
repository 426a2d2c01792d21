/* alone.c - the functions of a HIP blob that launch nothing, without its kernels: see alone.h.
 *
 * The host's object is linked as the blob's is, with two differences. Of its functions only those are exported that are of the host alone. And what
 * registers the kernels when it is loaded returns at once, for they are not there. All else that begins with the library stays: a stream
 * of the C++ library that such a function writes to is ready when its object says so.
 */
#include "alone.h"
#include "entry.h"
#include "functions.h"
#include "lean.h"
#include "compile/keeper.h"
#include "compile/pch.h"
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
  bool done = bytes && hostonly_find(&h, bytes, len) && (h.registers || s->lean) &&
              hostonly_has(&h, s->t->call.function) && hostonly_registers_nothing(bytes, len) &&
              file_write(s->copy, bytes, len, 0600) && write_exports(s->exports, &h.functions);
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
    note("%s: the called function launches nothing: its kernels are not compiled", s->t->stem);
  return kept;
}

/* ---- the steps ---- */

/* Is the precompiled header of the host pass there? If it is to be made first, that takes as long as all else. */
static bool is_ready(const struct plan *plan) {
  const struct pch *pch = plan->steps[plan->host].pch;
  return pch && pch->state == PCH_READY;
}

/* The host pass for S by itself, of a text without what launches. Its number. */
static size_t add_pass(struct hostalone *s, struct plan *plan, const char *temporary) {
  const struct step *host = &plan->steps[plan->host];
  struct argv words = {0};
  char *lean = path_join(temporary, "alone-source");
  argv_add(&words, host->words.args[0]);
  argv_add(&words, host->words.args[1]);
  s->lean = lean_write(s->t->source, lean);
  if (s->lean) {
    argv_add(&words, "-w"); /* of parameters that nobody uses by now */
    argv_add(&words, "-remap-file");
    argv_addf(&words, "%s;%s", host->words.args[host->words.n - 1], lean);
  }
  argv_add_all(&words, host->words.args + 2);
  words_set(&words, words_find(&words, "-o") + 1, s->object);
  size_t pass = plan->n++;
  plan->steps[pass] = (struct step){.role = STEP_HOST,
                                    .name = "host pass, without launches",
                                    .words = words,
                                    .depfile = s->depfile ? xstrdup(s->depfile) : NULL,
                                    .pch = host->pch,
                                    .optional = true};
  free(lean);
  return pass;
}

void hostalone_plan(struct hostalone *s, struct plan *plan, const struct compile_task *t,
                    const char *temporary) {
  const struct step *host = &plan->steps[plan->host];
  bool first = t->call.likely && is_ready(plan);
  size_t passes = plan->n, pass = plan->host;
  *s = (struct hostalone){.t = t,
                          .object = first ? path_join(temporary, "alone-pass.o") : xstrdup(host->output),
                          .copy = path_join(temporary, "alone.o"),
                          .exports = path_join(temporary, "alone-exports"),
                          .file = path_join(temporary, "alone.so")};
  if (host->depfile)
    s->depfile = first ? path_join(temporary, "alone-pass.d") : xstrdup(host->depfile);
  struct argv link = {0};
  if (!t->call.alone || !hostonly_may_do(t) || plan->n + 2 > PLAN_STEPS ||
      !hostonly_link(&link, t, &plan->steps[plan->last].words, host->output,
                     &(struct argv){.args = &s->copy, .n = 1}, s->file)) {
    argv_free(&link);
    return;
  }
  argv_addf(&link, "--version-script=%s", s->exports);
  if (first)
    pass = add_pass(s, plan, temporary);
  size_t step = hostonly_add_link(plan, link, UINT64_C(1) << pass, before_link, made, s);
  for (size_t i = 0; first && i < passes; i++)
    plan->steps[i].after |= UINT64_C(1) << step;
}

void hostalone_free(struct hostalone *s) {
  free(s->object);
  free(s->depfile);
  free(s->copy);
  free(s->exports);
  free(s->file);
}
