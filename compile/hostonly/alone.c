/* alone.c - the functions of a HIP blob that launch nothing, without its kernels: see alone.h.
 *
 * The host's object is linked as the blob's is, with two differences. Of its functions only those
 * are exported that are of the host alone. And what registers the kernels when it is loaded returns
 * at once, for they are not there. All else that begins with the library stays: a stream of the C++
 * library that such a function writes to is ready when its object says so.
 */
#include "alone.h"
#include "functions.h"
#include "lean.h"
#include "compile/inputs.h"
#include "compile/keeper.h"
#include "compile/pch.h"
#include "compile/place.h"
#include "compile/reads.h"
#include "compile/seen.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cache/fresh.h"

#include <unistd.h>

/* ---- in the cache ---- */

/* The build id of T's entry in .host. False: T is not the library's own build. */
static bool find_id(const struct compile_task *t, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  uint8_t plain[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(plain, CKJIT_KIND_BLOB, t->id, t->archs);
  ckjit_artefact_id(id, CKJIT_KIND_FUNCTIONS, t->id, t->archs);
  return memcmp(plain, t->id, sizeof plain) == 0;
}

/* Does the shared object FILE define T's function? */
static bool defines(const struct compile_task *t, const char *file) {
  struct elf_symbols all;
  struct elf_symbol y;
  bool found = false;
  elf_symbols_open(&all, file, SHT_DYNSYM);
  while (!found && elf_symbols_next(&all, &y))
    found = y.section != SHN_UNDEF && y.type == STT_FUNC &&
            ckjit_fnv1a(y.name, strlen(y.name)) == t->call.function;
  elf_symbols_close(&all);
  return found;
}

bool hostonly_is_there(const struct compile_task *t) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  const char *why;
  if (!t->call.function || !t->cache || !find_id(t, id))
    return false;
  autofree char *dir = path_join(t->dir, CKJIT_HOST);
  bool there =
      ckjit_entry_find(path, dir, t->stem, strlen(t->stem), id, &why) ||
      (fresh_entry(dir, t->stem, id) && ckjit_entry_find(path, dir, t->stem, strlen(t->stem), id, &why));
  there = there && defines(t, path);
  return there;
}

bool hostonly_may_do(const struct compile_task *t) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  return t->call.function && t->cache && !t->launcher.n && !t->fragment && !t->export.format &&
         !t->export.probe && t->output_fd < 0 && find_id(t, id);
}

/* ---- the link, in a separate process ---- */

static bool has(const struct hostonly *h, uint64_t function) {
  for (size_t i = 0; i < h->functions.n; i++)
    if (ckjit_fnv1a(h->functions.args[i], strlen(h->functions.args[i])) == function)
      return true;
  return false;
}

static bool write_exports(const char *file, const struct argv *names) {
  autofree_buf out = {0};
  buf_puts(&out, "{ global:\n");
  for (size_t i = 0; i < names->n; i++)
    buf_printf(&out, "%s;\n", names->args[i]);
  buf_puts(&out, "local: *; };\n");
  return file_write(file, out.data, out.len, 0600);
}

static int before_link(void *data) {
  const struct hostalone *s = data;
  size_t len;
  struct hostonly h = {0};
  autofree char *bytes = file_read(s->object, &len);
  bool done = bytes && hostonly_find(&h, bytes, len) && (h.registers || s->lean) &&
              has(&h, s->t->call.function) && hostonly_registers_nothing(bytes, len) &&
              file_write(s->copy, bytes, len, 0600) && write_exports(s->exports, &h.functions);
  hostonly_free(&h);
  return done ? -1 : EXIT_FAILED;
}

/* ---- its name ---- */

/* Compares the list of inputs with the files that the host pass read. The files that the device
 * pass reads are compared when it is done. */
static bool is_of_its_inputs(const struct compile_task *t, const char *depfile, char **err) {
  if (depfile)
    seen_depfile(t, depfile);
  return compile_inputs_again(t, err) && (!t->seen || (reads_compare(t, err) && !t->seen->files.n));
}

/* Give FILE its name in the cache, if it is of T's inputs, by DEPFILE, the host pass's (may be
 * NULL), as well. */
static bool keep(const struct compile_task *t, const char *file, const char *depfile) {
  struct compile_task side = *t;
  autofree char *err = NULL;
  find_id(t, side.id);
  ckjit_build_id_hex(side.hex, side.id);
  side.dir = path_join(t->dir, CKJIT_HOST);
  bool kept = file_exists(file) && is_of_its_inputs(t, depfile, &err) && cachedir_open(side.dir, &err) &&
              place_result(&side, file, &err);
  if (!kept && t->verbose)
    note("%s: no entry of functions that launch nothing: %s", t->stem,
         err ? err : "ckjit cannot separate them in this blob");
  free(side.dir);
  return kept;
}

void hostonly_outdate(const struct compile_task *t) {
  uint8_t plain[CKJIT_BUILD_ID_SIZE], id[CKJIT_BUILD_ID_SIZE];
  const char *why;
  ckjit_artefact_id(plain, CKJIT_KIND_BLOB, t->id, t->archs);
  if (memcmp(plain, t->id, sizeof plain) == 0)
    return;
  autofree char *dir = path_join(t->dir, CKJIT_HOST);
  char path[PATH_MAX];
  ckjit_artefact_id(id, CKJIT_KIND_FUNCTIONS, t->id, t->archs);
  if (ckjit_entry_find(path, dir, t->stem, strlen(t->stem), id, &why))
    unlink(path);
}

/* It is there, or cannot be. LEFT: the device pass has not ended. True: it shall. */
static bool made(void *data, bool left) {
  const struct hostalone *s = data;
  bool kept = left && file_exists(s->file) && keep(s->t, s->file, s->depfile);
  if (!kept)
    keeper_needed();
  else if (s->t->verbose)
    note("%s: the called function launches nothing: its kernels are not compiled", s->t->stem);
  return kept;
}

/* ---- the steps ---- */

/* Append to WORDS those of LINK, the blob's, with S's copy in the place of OBJECT, S's output and
 * build id. False: it is no link that is known. */
static bool link_words(struct argv *words, const struct hostalone *s, const struct argv *link,
                       const char *object) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  autofree char *asked = xasprintf("--build-id=" TASK_NOTE, TASK_NOTE_OF(s->t));
  bool has_object = false, has_id = false, has_output = false;
  find_id(s->t, id);
  ckjit_build_id_hex(hex, id);
  for (size_t i = 0; i < link->n; i++) {
    const char *word = link->args[i];
    if (strcmp(word, object) == 0) {
      argv_add(words, s->copy);
      has_object = true;
    } else if (strcmp(word, asked) == 0) {
      argv_addf(words, "--build-id=" TASK_NOTE, hex, (unsigned)CKJIT_KIND_FUNCTIONS);
      has_id = true;
    } else if (i && strcmp(link->args[i - 1], "-o") == 0) {
      argv_add(words, s->file);
      has_output = true;
    } else {
      argv_add(words, word);
    }
  }
  argv_addf(words, "--version-script=%s", s->exports);
  return has_object && has_id && has_output;
}

/* Is the precompiled header of the host pass there? If it is to be made first, that takes as long
 * as all else. */
static bool is_ready(const struct plan *plan) {
  const struct pch *pch = plan->steps[plan->host].pch;
  return pch && pch->state == PCH_READY;
}

/* The host pass for S by itself, of a text without what launches. Its number. */
static size_t add_pass(struct hostalone *s, struct plan *plan, const char *temporary) {
  const struct step *host = &plan->steps[plan->host];
  struct argv words = {0};
  autofree char *lean = path_join(temporary, "alone-source");
  argv_add_words(&words, host->words.args[0], host->words.args[1], NULL);
  s->lean = lean_write(s->t->source, lean);
  if (s->lean) {
    argv_add(&words, "-w"); /* For parameters that are unused now. */
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
  if (!hostonly_may_do(t) || plan->n + 2 > PLAN_STEPS ||
      !link_words(&link, s, &plan->steps[plan->last].words, host->output)) {
    argv_free(&link);
    return;
  }
  if (first)
    pass = add_pass(s, plan, temporary);
  size_t step = plan->n++;
  plan->steps[step] = (struct step){.role = STEP_OTHER,
                                    .name = "host link",
                                    .words = link,
                                    .after = UINT64_C(1) << pass,
                                    .optional = true,
                                    .prepare = before_link,
                                    .data = s};
  plan->steps[plan->last].after |= UINT64_C(1) << step; /* which writes to the object */
  plan->side = step;
  plan->suffices = made;
  plan->data = s;
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
