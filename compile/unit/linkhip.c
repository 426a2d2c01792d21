/* linkhip.c - see linkhip.h.
 *
 *     a part     the device's pass with -fgpu-rdc, as in the build: optimised bitcode
 *     the link   lld, in the words that the driver uses for the library's link (-###), with other
 *                files, and with a version script that makes all but one kernel local
 *
 * LTO drops what is local and that nobody calls before it costs anything. The code of the kernel is
 * that of the regular link of the same units, as far as LLVM's passes look at functions one by one.
 * A driver that leaves the link to clang-linker-wrapper (the new offload driver) shows no lld; it is
 * asked for the old one's words.
 */
#include "linkhip.h"
#include "compile/environment.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/path.h"
#include "core/cc/steps.h"
#include "core/files/exportformat.h"
#include "core/files/unittext.h"

#include <unistd.h>

static bool run(const struct compile_task *t, const char *temporary, const struct argv *command, char **err) {
  autofree char *log = path_join(temporary, "log");
  unlink(log);
  say_command(t, command);
  return run_command(t, command, log, err);
}

/* ---- the text ---- */

struct chosen {
  const char *arch;
  char *best; /* NULL: none serves it */
};

/* Features are said by words of two bytes and more: the longest says most. */
static void choose(const char *arch, const char *digest, void *user) {
  struct chosen *c = user;
  (void)digest;
  if (!export_arch_serves(arch, c->arch) || (c->best && strlen(c->best) >= strlen(arch)))
    return;
  free(c->best);
  c->best = xstrdup(arch);
}

char *unit_text_read(const struct compile_task *t, const char *arch, size_t *len, char **err) {
  struct chosen c = {.arch = arch};
  autofree char *why = NULL;
  char *text = unittext_each(t->source, choose, &c, &why)
                   ? unittext_read(t->source, c.best ? c.best : arch, len, &why)
                   : NULL;
  if (!text)
    task_fail(t, err, "%s", why);
  free(c.best);
  return text;
}

/* ---- a part ---- */

bool hippart_compile(const struct compile_task *t, const char *temporary, const char *bitcode, char **err) {
  autofree_argv command = {0};
  size_t len;
  autofree char *file = path_join(temporary, "part.hipi"), *text = unit_text_read(t, t->archs, &len, err);
  argv_add(&command, t->compiler);
  argv_add_all(&command, t->flags.args);
  argv_addf(&command, "--offload-arch=%s", t->archs);
  argv_add_words(&command, "-x", "hip", "-nogpuinc", "-undef", "-w", "--offload-device-only",
                 "--no-gpu-bundle-output", "-emit-llvm", "-c", "-o", bitcode, file, NULL);
  return text && task_write(t, file, text, len, err) && run(t, temporary, &command, err);
}

/* ---- the link ---- */

/* The step of S that links device code; NULL: none does. */
static const struct argv *device_link(const struct steps *s) {
  for (size_t i = 0; i < s->n; i++)
    if (s->list[i].n && strstr(path_base(s->list[i].args[0]), "lld") &&
        argv_has_prefix(&s->list[i], "-plugin-opt=mcpu="))
      return &s->list[i];
  return NULL;
}

/* Append the words of STEP but for its files. */
static void add_step(struct argv *out, const struct argv *step) {
  argv_add(out, step->args[0]);
  for (size_t i = 1; i < step->n; i++) {
    const char *w = step->args[i];
    bool pair = strcmp(w, "-flavor") == 0 || strcmp(w, "-m") == 0;
    if (strcmp(w, "-o") == 0)
      i++;
    else if (w[0] == '-' && !str_ends(w, "whole-archive"))
      argv_add(out, w);
    if (pair && i + 1 < step->n)
      argv_add(out, step->args[++i]);
  }
}

/* Append to OUT lld's words for ARCH, as the driver says with OLD, an option or NULL. */
static bool ask_words(struct argv *out, const struct compile_task *t, const char *temporary,
                      const char *words, const char *arch, const char *old) {
  autofree_argv command = {0};
  struct steps s;
  bool succeeded;
  autofree char *object = path_join(temporary, "link.o"), *output = path_join(temporary, "link.so");
  argv_add(&command, t->compiler);
  argv_split(&command, words, strlen(words));
  argv_add_words(&command, "-fgpu-rdc", "--hip-link", "-shared", object, "-o", output, NULL);
  argv_addf(&command, "--offload-arch=%s", arch);
  if (old)
    argv_add(&command, old);
  file_write(object, "", 0, 0600);
  autofree char *said =
      plan_ask_steps(t->kind->dialect, &command, compile_environment(t), temporary, &succeeded);
  steps_read(&s, said ? said : "");
  const struct argv *step = device_link(&s);
  if (step)
    add_step(out, step);
  bool found = step;
  steps_free(&s);
  return found;
}

/* The kernel's descriptor, <kernel>.kd, is what is loaded. A pattern matches what only LTO makes. */
static bool write_script(const struct compile_task *t, const char *file, const char *kernel, char **err) {
  autofree char *text = xasprintf("{ global: %s; %s.k[d]; local: *; };\n", kernel, kernel);
  return task_write(t, file, text, strlen(text), err);
}

bool hiplink_code(const struct compile_task *t, const char *temporary, const char *words, const char *arch,
                  const struct argv *files, const char *kernel, const char *code, char **err) {
  autofree_argv command = {0};
  autofree char *script = path_join(temporary, "link.map");
  bool done = ask_words(&command, t, temporary, words, arch, NULL) ||
              ask_words(&command, t, temporary, words, arch, "--no-offload-new-driver") ||
              task_fail(t, err, "%s does not say how it links device code", t->compiler);
  done = done && (!kernel || write_script(t, script, kernel, err));
  if (kernel)
    argv_addf(&command, "--version-script=%s", script);
  argv_add_words(&command, "-o", code, NULL);
  argv_add_all(&command, files->args);
  done = done && run(t, temporary, &command, err);
  return done;
}
