/* entry.c - the host's side of a HIP blob, whose code object comes when it is needed: see entry.h.
 *
 * Two steps of the blob's plan make it, behind the host pass and beside the device's:
 *
 *     shim          the object is looked through for what it calls of HIP's; runtime/ck_jit_hip_side.c is compiled for these calls
 *     host link     the link of the blob, with the shim, --wrap for the calls, another output and another build id
 *
 * The object is that of the whole entry. What stands in for its fat binary is never looked at: the shim has another registered.
 */
#include "entry.h"
#include "functions.h"
#include "compile/handover.h"
#include "compile/inputs.h"
#include "compile/keeper.h"
#include "compile/machinefiles.h"
#include "compile/place.h"
#include "compile/reads.h"
#include "compile/seen.h"
#include "core/base/elf.h"
#include "core/base/embed.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

EMBED(side, "runtime/ck_jit_hip_side.c"); /* the shim's source */

/* ---- in the cache ---- */

/* The build id of T's entry in .host. False: T is not the library's own build. */
static bool find_id(const struct compile_task *t, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  uint8_t plain[CKJIT_BUILD_ID_SIZE];
  ckjit_build_id(plain, t->id, t->archs);
  (t->call.alone ? ckjit_alone_id : ckjit_host_id)(id, t->id, t->archs);
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
  char *dir = path_join(t->dir, CKJIT_HOST);
  bool there = ckjit_entry_find(path, dir, t->stem, strlen(t->stem), id, &why) && defines(t, path);
  free(dir);
  return there;
}

/* ---- is it of the host alone? ---- */

bool hostonly_may_do(const struct compile_task *t) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  return t->call.function && t->cache && !t->launcher.n && !t->fragment && !t->export.format &&
         !t->export.probe && t->output_fd < 0 && find_id(t, id);
}

void hostonly_tell_not(const struct compile_task *t) {
  static bool told;
  if (!t->call.function || told)
    return;
  told = true;
  keeper_needed();
  if (t->call.alone)
    return; /* what is done beside it was begun with it */
  fputs(CKJIT_LAUNCHES, stdout);
  fflush(stdout);
}

bool hostonly_has(const struct hostonly *h, uint64_t function) {
  for (size_t i = 0; i < h->functions.n; i++)
    if (ckjit_fnv1a(h->functions.args[i], strlen(h->functions.args[i])) == function)
      return true;
  return false;
}

/* ---- the shim, in a process of its own ---- */

/* A launch follows. */
static bool is_configuration(const char *name) {
  return strcmp(name, "__hipPushCallConfiguration") == 0 || strcmp(name, "__hipPopCallConfiguration") == 0;
}

/* Write what is to be done about the calls of H. False: kernels cannot come late. */
static bool write_calls(const struct hostside *s, const struct hostonly *h) {
  struct buf calls = {0}, options = {0};
  bool done = true;
  buf_puts(&calls, "");
  for (size_t i = 0; i < gpu_calls_n; i++)
    if (gpu_calls[i].runtime == RUNTIME_HIP && gpu_calls[i].is == CALL_REGISTERS)
      buf_printf(&options, "--wrap=%s\n", gpu_calls[i].name);
  for (size_t i = 0; i < h->hip.n && done; i++) {
    const char *name = h->hip.args[i];
    const struct gpu_call *call = calls_find(name);
    done = !call || call->is != CALL_REFUSED;
    if ((call && call->is == CALL_REGISTERS) || is_configuration(name))
      continue;
    buf_printf(&options, "--wrap=%s\n", name);
    buf_printf(&calls, "NEEDS_CODE(\"%s\")\n", name);
  }
  done = done && file_write(s->calls, calls.data, calls.len, 0600) &&
         file_write(s->options, options.data, options.len, 0600) &&
         file_write(s->source, side_begin, (size_t)(side_end - side_begin), 0600) &&
         machinefiles_write(s->temporary);
  buf_free(&calls);
  buf_free(&options);
  return done;
}

static int before_shim(void *data) {
  const struct hostside *s = data;
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(s->object, &len);
  bool done = bytes && hostonly_find(&h, bytes, len) && h.registers && !hostonly_begins(bytes, len) &&
              write_calls(s, &h);
  hostonly_free(&h);
  free(bytes);
  return done ? -1 : EXIT_FAILED;
}

static int before_link(void *data) {
  const struct hostside *s = data;
  return file_exists(s->shim) ? -1 : EXIT_FAILED;
}

/* ---- the steps ---- */

/* For the machine that the host pass is for, which is not ckjit's own if the library is cross-compiled; with what that keeps of branches and return
 * addresses, or the host's side would lose it. */
static void shim_words(const struct hostside *s, struct argv *words, const struct argv *host) {
  static const char *const flags[] = {"-x", "c", "-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-w"};
  argv_add(words, host->args[0]);
  for (size_t i = 1; i + 1 < host->n; i++)
    if (strcmp(host->args[i], "-triple") == 0)
      argv_addf(words, "--target=%s", host->args[i + 1]);
  for (size_t i = 1; i < host->n; i++)
    if (str_starts(host->args[i], "-mbranch-") || str_starts(host->args[i], "-msign-")) {
      argv_add(words, "-Xclang");
      argv_add(words, host->args[i]);
    }
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    argv_add(words, flags[i]);
  argv_addf(words, "-I%s", s->temporary);
  argv_add(words, "-c");
  argv_add(words, s->source);
  argv_add(words, "-o");
  argv_add(words, s->shim);
}

bool hostonly_link(struct argv *words, const struct compile_task *t, const struct argv *link,
                   const char *object, const struct argv *instead, const char *output) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE], *asked = xasprintf("--build-id=0x%s", t->hex);
  bool has_object = false, has_id = false, has_output = false;
  find_id(t, id);
  ckjit_build_id_hex(hex, id);
  for (size_t i = 0; i < link->n; i++) {
    const char *word = link->args[i];
    if (strcmp(word, object) == 0) {
      for (size_t k = 0; k < instead->n; k++)
        argv_add(words, instead->args[k]);
      has_object = true;
    } else if (strcmp(word, asked) == 0) {
      argv_addf(words, "--build-id=0x%s", hex);
      has_id = true;
    } else if (i && strcmp(link->args[i - 1], "-o") == 0) {
      argv_add(words, output);
      has_output = true;
    } else {
      argv_add(words, word);
    }
  }
  free(asked);
  return has_object && has_id && has_output;
}

size_t hostonly_add_link(struct plan *plan, struct argv words, uint64_t after, int (*prepare)(void *data),
                         bool (*suffices)(void *data, bool left), void *data) {
  size_t step = plan->n++;
  plan->steps[step] = (struct step){.role = STEP_OTHER,
                                    .name = "host link",
                                    .words = words,
                                    .after = after,
                                    .optional = true,
                                    .prepare = prepare,
                                    .data = data};
  plan->steps[plan->last].after |= UINT64_C(1) << step; /* which writes to the object */
  plan->side = step;
  plan->suffices = suffices;
  plan->data = data;
  return step;
}

/* The words of the blob's LINK, with the shim. False: it is no link that is known. */
static bool link_words(const struct hostside *s, struct argv *words, const struct argv *link) {
  struct argv objects = {0};
  argv_add(&objects, s->object);
  argv_add(&objects, s->shim);
  bool done = hostonly_link(words, s->t, link, s->object, &objects, s->file);
  argv_addf(words, "@%s", s->options);
  argv_free(&objects);
  return done;
}

static bool made(void *data, bool left);

void hostside_plan(struct hostside *s, struct plan *plan, const struct compile_task *t,
                   const char *temporary) {
  const struct step *host = &plan->steps[plan->host];
  *s = (struct hostside){.t = t,
                         .temporary = temporary,
                         .object = host->output,
                         .depfile = host->depfile,
                         .source = path_join(temporary, "side.c"),
                         .calls = path_join(temporary, "ck_jit_side_calls.h"),
                         .options = path_join(temporary, "side-options"),
                         .shim = path_join(temporary, "side-shim.o"),
                         .file = path_join(temporary, "side.so")};
  struct argv link = {0};
  if (t->call.alone || !hostonly_may_do(t) || plan->n + 2 > PLAN_STEPS ||
      !link_words(s, &link, &plan->steps[plan->last].words)) {
    argv_free(&link);
    return;
  }
  size_t shim = plan->n++;
  plan->steps[shim] = (struct step){.role = STEP_OTHER,
                                    .name = "shim",
                                    .after = UINT64_C(1) << plan->host,
                                    .optional = true,
                                    .prepare = before_shim,
                                    .data = s};
  shim_words(s, &plan->steps[shim].words, &host->words);
  hostonly_add_link(plan, link, UINT64_C(1) << shim, before_link, made, s);
}

void hostside_free(struct hostside *s) {
  free(s->source);
  free(s->calls);
  free(s->options);
  free(s->shim);
  free(s->file);
}

/* ---- its name ---- */

/* The list of inputs is compared with what the host pass read. What the device pass reads is compared when that is done. */
static bool is_of_its_inputs(const struct compile_task *t, const char *depfile, char **err) {
  if (depfile)
    seen_depfile(t, depfile);
  return compile_inputs_again(t, err) && (!t->seen || (reads_compare(t, err) && !t->seen->files.n));
}

bool hostonly_keep(const struct compile_task *t, const char *file, const char *depfile) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char *dir = path_join(t->dir, CKJIT_HOST), *err = NULL;
  find_id(t, id);
  bool kept = file_exists(file) && is_of_its_inputs(t, depfile, &err) && cachedir_open(dir, &err) &&
              place_beside(t, dir, id, file, &err);
  if (!kept && t->verbose)
    note("%s: no host's side: %s", t->stem, err ? err : "ckjit cannot separate it in this blob");
  free(dir);
  free(err);
  return kept;
}

void hostonly_outdate(const struct compile_task *t) {
  uint8_t plain[CKJIT_BUILD_ID_SIZE], ids[2][CKJIT_BUILD_ID_SIZE];
  const char *why;
  ckjit_build_id(plain, t->id, t->archs);
  if (memcmp(plain, t->id, sizeof plain) == 0)
    return;
  char *dir = path_join(t->dir, CKJIT_HOST), path[PATH_MAX];
  ckjit_alone_id(ids[0], t->id, t->archs);
  ckjit_host_id(ids[1], t->id, t->archs);
  for (size_t i = 0; i < 2; i++)
    if (ckjit_entry_find(path, dir, t->stem, strlen(t->stem), ids[i], &why))
      unlink(path);
  free(dir);
}

static bool is_alone(const struct hostside *s) {
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(s->object, &len);
  bool alone = bytes && hostonly_find(&h, bytes, len) && h.registers && hostonly_has(&h, s->t->call.function);
  hostonly_free(&h);
  free(bytes);
  return alone;
}

/* The host's side is there, or cannot be. LEFT: the device pass has not ended. True: it shall. */
static bool made(void *data, bool left) {
  const struct hostside *s = data;
  bool alone = is_alone(s);
  if (!alone)
    hostonly_tell_not(s->t);
  if (!left)
    return false;
  bool kept = hostonly_keep(s->t, s->file, s->depfile);
  if (!kept)
    hostonly_tell_not(s->t);
  else if (!alone)
    handover_now();
  else if (s->t->verbose)
    note("%s: the called function launches nothing: its kernels are not compiled", s->t->stem);
  return kept && alone;
}
