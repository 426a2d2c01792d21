/* cuda.c - a CUDA unit: its calls, and its texts.
 *
 *     nvcc --dryrun          the steps of the call, each as nvcc would run it     core/cc/nvcc.h
 *     gcc -E                 the host's text; one for each virtual architecture   here
 *     cudafe++, cicc, gcc    the object of the host side                          cudahost.c
 *
 * A device's text has the name of its virtual architecture, compute_90: the code for sm_90 and the
 * PTX are made from the same one.
 */
#include "cuda.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/ltolinker.h"

#include <ctype.h>

/* ---- the call ---- */

/* sm_90a, compute_90, sm_86:compute_80; not native, all, lto_90. */
static bool is_plain_arch(const char *arch) {
  size_t n = str_starts(arch, "sm_") ? 3 : str_starts(arch, "compute_") ? 8 : 0;
  return n && isdigit((unsigned char)arch[n]);
}

bool unit_cuda_take(struct unit *u) {
  const struct ccargs *a = &u->record.cc;
  const char *word = unit_cuda_refused(a);
  if (word)
    return unit_not_lazy(u, "%s is among its options", word);
  return unit_take_target(u, is_plain_arch, "");
}

/* ---- nvcc's steps ---- */

/* The steps of the call, with temporary files in u->dir. Their lines are taken as they are: a line
 * may contain any path. */
static bool make_plan(struct unit *u) {
  struct argv env = {0};
  autofree_argv command = {0};
  autofree char *said = NULL;
  u->object = path_join(u->dir, "object.o");
  argv_add(&command, u->record.compiler);
  unit_cuda_call_words(&command, u);
  argv_add(&command, "-c");
  argv_add(&command, "-o");
  argv_add(&command, u->object);
  childenv_copy(&env);
  childenv_set(&env, "TMPDIR", u->dir);
  nvcc_plan_ask(&u->plan, &command, env.args, &said);
  bool done = !said || unit_not_lazy(u, "nvcc lists no steps");
  nvcc_environment(&u->plan, &env);
  pool_environment = env.args; /* for all programs from now on; never freed */
  return done;
}

/* Are there one step of each kind for the host, and one cicc for each device text? */
static bool has_known_steps(struct unit *u) {
  const struct nvcc_plan *p = &u->plan;
  u->ntexts = p->count[NVCC_DEVICE_TEXT];
  bool known = u->ntexts && p->count[NVCC_CICC] == u->ntexts && nvcc_only(p, NVCC_HOST_TEXT) &&
               nvcc_only(p, NVCC_FRONT) && nvcc_only(p, NVCC_FATBINARY) && nvcc_only(p, NVCC_HOST);
  return known || unit_not_lazy(u, NVCC_UNKNOWN_STEPS);
}

/* ---- the texts ---- */

char *unit_cuda_depfile(const struct unit *u, size_t i) {
  return xasprintf("%s/text-%zu.d", u->dir, i);
}

void unit_cuda_host_words(struct argv *v, const struct argv *words) {
  for (size_t i = 0; i < words->n; i++) {
    argv_add(v, words->args[i]);
    if (i == 0 && message_compiler_is_colored())
      argv_add(v, "-fdiagnostics-color=always");
  }
}

static void add_text_command(struct argv *v, const struct unit *u, const struct nvcc_step *s,
                             size_t i) {
  autofree char *file = unit_cuda_depfile(u, i);
  unit_cuda_host_words(v, &s->words);
  argv_add(v, "-MD");
  argv_add(v, "-MF");
  argv_add(v, file);
}

/* The cicc step that reads FILE. */
static const struct nvcc_step *cicc_of(const struct nvcc_plan *p, const char *file) {
  for (size_t i = 0; i < p->n; i++)
    if (p->steps[i].kind == NVCC_CICC && argv_has(&p->steps[i].words, file))
      return &p->steps[i];
  return NULL;
}

static bool read_text(struct unit *u, size_t n, const struct nvcc_step *s) {
  const struct nvcc_step *cicc = s->output ? cicc_of(&u->plan, s->output) : NULL;
  const char *arch = cicc ? nvcc_value(cicc, "-arch") : NULL;
  if (!arch)
    return unit_not_lazy(u, NVCC_UNKNOWN_STEPS);
  char *text = file_read(s->output, &u->texts[n].len);
  if (!text)
    return unit_not_lazy(u, "%s: %s", s->output, strerror(errno));
  u->texts[n].arch = arch;
  u->texts[n].text = text;
  if (!unit_text_is_whole(u, text, u->texts[n].len))
    return false;
  if (strstr(text, "((managed))") || strstr(text, "((__managed__))"))
    return unit_not_lazy(u, "it has managed variables");
  return true;
}

/* Find the linker that first launches use. */
static bool has_linker(struct unit *u) {
  struct lto_linker linker;
  if (!unit_is_linked(u))
    return true;
  bool has = lto_linker_find(&linker, &u->plan, NULL);
  lto_linker_free(&linker);
  return has ||
         unit_not_lazy(u, "its device code is linked, and the toolkit has nothing to do that at a "
                          "launch: install libnvJitLink.so, or nvlink and libnvvm.so");
}

/* Append to each text the variables that the host's text does not name (core/files/unittext.h): the
 * texts, the key and launches have no other source for them. */
static void put_device_only(struct unit *u) {
  size_t len;
  autofree char *text = file_read(u->plan.first[NVCC_HOST_TEXT]->output, &len);
  if (text)
    devicetext_device_only(text, len, &u->device_only);
  autofree char *names = u->device_only.n ? argv_join(u->device_only.args) : NULL;
  for (size_t i = 0; names && i < u->ntexts; i++) {
    struct unittext *t = &u->texts[i];
    char *all = xasprintf("%s%s" UNITTEXT_DEVICE_ONLY "%s\n", t->text,
                          t->len && t->text[t->len - 1] != '\n' ? "\n" : "", names);
    free((char *)t->text);
    t->text = all;
    t->len = strlen(all);
  }
}

/* Does a unit that is linked lack variables that all kernels of the device link share?
 * unit_linked_read answers for all of them; at this point only the preprocessor has run. */
static bool has_no_shared_variable(struct unit *u) {
  struct devicetext_named *list = NULL;
  size_t n = 0;
  const char *name = NULL;
  if (unit_is_linked(u) && devicetext_names(u->texts[0].text, u->texts[0].len, "", &list, &n))
    for (size_t i = 0; i < n && !name; i++)
      name = list[i].strong ? list[i].name : NULL;
  return !name ||
         unit_not_lazy(u, "it has the device variable %s, which all kernels of a device link share",
                       name);
}

bool unit_cuda_texts(struct unit *u) {
  if (!make_plan(u) || !has_known_steps(u) || !has_linker(u))
    return false;
  const struct nvcc_plan *p = &u->plan;
  autofree struct argv *commands = xcalloc(u->ntexts + 1, sizeof *commands);
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
    if (p->steps[i].kind == NVCC_DEVICE_TEXT)
      add_text_command(&commands[n], u, &p->steps[i], n), n++;
  add_text_command(&commands[n], u, p->first[NVCC_HOST_TEXT], n);
  bool done = unit_run(u, "preprocessing it", commands, u->ntexts + 1);
  u->texts = xcalloc(u->ntexts, sizeof *u->texts);
  n = 0;
  for (size_t i = 0; done && i < p->n; i++)
    if (p->steps[i].kind == NVCC_DEVICE_TEXT)
      done = read_text(u, n++, &p->steps[i]);
  if (done)
    put_device_only(u);
  return done && has_no_shared_variable(u);
}
