/* hip.c - what is exported of HIP, by the options that hipcc and clang have for each form.
 *
 *     so, obj       clang -c, and clang -shared of that
 *     code-object   --cuda-device-only -c; for several architectures, a bundle made by the command that the driver lists
 *     asm           --cuda-device-only -S
 *     bitcode       --cuda-device-only -emit-llvm
 *
 * Device code that is joined or renamed goes by way of LLVM's bitcode (bitcode.c).
 */
#include "bitcode.h"
#include "bundle.h"
#include "driver.h"
#include "judge.h"
#include "way.h"
#include "core/base/elf.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

/* ---- is there code? ---- */

static char *check_device(struct export *x, enum export_format format, const char *file, const char *arch) {
  struct kernels k = {0};
  size_t len;
  char *text = file_read(file, &len), *why = NULL;
  bool ours = text && (format == EXPORT_CODE_OBJECT ? kernels_of_code_object(&k, text, len)
                       : format == EXPORT_ASM       ? kernels_of_asm(&k, text)
                                                    : kernels_of_ir(&k, text));
  if (!ours)
    why = xasprintf("%s: what the compiler %s made is no %s for AMD's GPUs", x->t->stem, x->t->compiler,
                    export_format_name(format));
  else
    why = export_judge(x, &k, arch, strlen(arch));
  kernels_free(&k);
  free(text);
  return why;
}

static bool look(struct export *x, struct kernels *k, const char *arch) {
  char *file = export_new_file(x, ".co");
  size_t len;
  char *why = export_compile(x, x->t, EXPORT_CODE_OBJECT, arch, file),
       *bytes = why ? NULL : file_read(file, &len);
  bool found = bytes && kernels_of_code_object(k, bytes, len);
  free(bytes);
  free(why);
  free(file);
  return found;
}

/* ---- the device ---- */

/* Whether FILE, bitcode for ARCH, has a kernel. */
static char *check_bitcode(struct export *x, const char *file, const char *arch) {
  char *text = export_new_file(x, ".ll"), *why = bitcode_to_text(x, file, arch, text);
  if (!why)
    why = check_device(x, EXPORT_BITCODE, text, arch);
  free(text);
  return why;
}

/* what there is for one architecture */
static char *make_device(struct export *x, const char *arch, const char *output) {
  const struct compile_task *t = x->t;
  if (t->parts->n)
    return bitcode_to_device(x, t->parts, arch, output);
  if (!t->symbols->n) {
    char *why = export_compile(x, x->t, t->format, arch, output);
    if (why)
      return why;
    return t->format == EXPORT_BITCODE ? check_bitcode(x, output, arch)
                                       : check_device(x, t->format, output, arch);
  }
  struct argv files = {0};
  argv_add_own(&files, export_new_file(x, ".bc"));
  char *why = export_compile(x, x->t, EXPORT_BITCODE, arch, files.args[0]);
  if (!why)
    why = bitcode_to_device(x, &files, arch, output);
  argv_free(&files);
  return why;
}

/* ---- bundles ---- */

/* The file for TARGET (N bytes), such as hipv4-amdgcn-amd-amdhsa--gfx942, among FILES, one for each of the
 * task's architectures in their order; NULL: there is none. */
static const char *file_of_target(const struct export *x, const struct argv *files, const char *target,
                                  size_t n) {
  const char *arch = memmem(target, n, "-gfx", 4), *at = x->t->archs, *word;
  size_t i = 0;
  for (size_t m; arch && i < files->n && (word = ckjit_arch_next(&at, &m)); i++)
    if (export_same_arch(arch + 1, n - (size_t)(arch + 1 - target), word, m))
      return files->args[i];
  return NULL;
}

/* The inputs of the bundler for TARGETS, a ',' list in the driver's own order. */
static char *add_inputs(const struct export *x, struct argv *command, const char *targets,
                        const struct argv *files) {
  for (const char *at = targets; *at;) {
    size_t n = strcspn(at, ",");
    const char *file = str_starts(at, "host-") ? "/dev/null" : file_of_target(x, files, at, n);
    if (!file)
      return xasprintf("%s: the compiler %s bundles for %.*s, which was not asked for", x->t->stem,
                       x->t->compiler, (int)n, at);
    argv_addf(command, "-input=%s", file);
    at += n + (at[n] == ',');
  }
  return NULL;
}

/* FILES, a code object for each of the task's architectures, as one file that HIP's loader takes: with the
 * command that the driver itself would use. */
static char *bundle(struct export *x, const struct argv *files, const char *output) {
  struct argv command = {0};
  char *why = driver_ask(x, EXPORT_CODE_OBJECT, x->t->archs, output);
  const char *targets = NULL;
  for (size_t i = 0; i < x->driver.bundler.n && !why; i++) {
    const char *word = x->driver.bundler.args[i];
    if (str_starts(word, "-targets="))
      targets = word + strlen("-targets=");
    if (str_starts(word, "-output="))
      argv_addf(&command, "-output=%s", output);
    else if (!str_starts(word, "-input="))
      argv_add(&command, word);
  }
  if (!why)
    why = targets
              ? add_inputs(x, &command, targets, files)
              : xasprintf("%s: the compiler %s does not say how it bundles code objects (-###); export one "
                          "architecture at a time",
                          x->t->stem, x->t->compiler);
  if (!why)
    why = export_run(x, &command);
  argv_free(&command);
  return why;
}

/* ---- the host ---- */

/* Unpack the compressed fat binary BYTES by the compiler's own tool: the code object for ARCH in *OUT. */
static char *unpack(struct export *x, const char *bytes, size_t size, const char *arch, char **out,
                    size_t *len) {
  char *why = driver_ask_for_tools(x);
  char *tool = why ? NULL : driver_tool(x, "clang-offload-bundler", &why);
  char *packed = export_new_file(x, ".fat"), *object = export_new_file(x, ".co");
  struct argv command = {0};
  *out = NULL;
  if (tool && file_write(packed, bytes, size, 0600)) {
    argv_add(&command, tool);
    argv_add(&command, "-unbundle");
    argv_add(&command, "-allow-missing-bundles");
    argv_add(&command, "-type=o");
    argv_addf(&command, "-targets=hipv4-amdgcn-amd-amdhsa--%s", arch);
    argv_addf(&command, "-input=%s", packed);
    argv_addf(&command, "-output=%s", object);
    why = export_run(x, &command);
  }
  if (!why && !(*out = file_read(object, len)))
    why = export_cannot_read(x, object);
  argv_free(&command);
  free(packed);
  free(object);
  free(tool);
  return why;
}

/* Whether the fat binary BYTES has code for ARCH. */
static char *check_fat(struct export *x, const char *bytes, size_t size, const char *arch) {
  struct kernels k = {0};
  size_t len = 0;
  char *unpacked = NULL, *why = NULL;
  const char *object = NULL;
  if (bundle_is_compressed(bytes, size))
    why = unpack(x, bytes, size, arch, &unpacked, &len);
  object = unpacked ? unpacked : bundle_find(bytes, size, arch, strlen(arch), &len);
  if (!why && (!object || !kernels_of_code_object(&k, object, len)))
    why = export_no_kernel(x, arch, strlen(arch));
  if (!why)
    why = export_judge(x, &k, arch, strlen(arch));
  kernels_free(&k);
  free(unpacked);
  return why;
}

/* The object FILE must have code for every architecture. */
static char *check_object(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  size_t size, index = 0;
  char *bytes = file_read(file, &size), *why = NULL;
  struct elf e;
  struct elf_section fat = {0};
  if (!bytes || !elf_open(&e, bytes, size, NULL) || e.type != ET_REL)
    why = xasprintf("%s: what the compiler %s made is no object file", t->stem, t->compiler);
  bool has_fat = !why && elf_find(&e, ".hip_fatbin", &index, &fat) && fat.data;
  const char *at = t->archs, *word;
  for (size_t n; !why && (word = ckjit_arch_next(&at, &n));) {
    char *arch = xstrndup(word, n);
    why = has_fat ? check_fat(x, (const char *)fat.data, fat.size, arch) : export_no_kernel(x, word, n);
    free(arch);
  }
  free(bytes);
  return why;
}

/* OBJECTS as one object file, by the linker of the compiler proper */
static char *link_partially(struct export *x, const struct argv *objects, const char *output) {
  struct argv command = {0};
  char *why = *x->t->archs ? driver_ask_for_tools(x) : NULL;
  if (!why) {
    /* not hipcc, which adds libraries to every link */
    char *clang = x->driver.tools ? xstrdup(x->driver.pass.args[0]) : xstrdup(x->t->compiler);
    argv_add_own(&command, clang);
    argv_add(&command, "-r");
    argv_add(&command, "-nostdlib");
    argv_add(&command, "-o");
    argv_add(&command, output);
    argv_add_all(&command, objects->args);
    why = export_run(x, &command);
  }
  argv_free(&command);
  return why;
}

static char *make_object(struct export *x, const char *output) {
  char *why = export_compile(x, x->t, EXPORT_OBJ, x->t->archs, output);
  return why ? why : check_object(x, output);
}

/* ---- does the compiler know it? ---- */

/* Whether the compiler knows ARCH: a driver that lists its steps has looked at it. One that lists none will
 * show it when it compiles. */
static char *probe(struct export *x, const char *arch) {
  char *why = driver_ask(x, EXPORT_CODE_OBJECT, arch, "/dev/null");
  if (!x->driver.refused) {
    free(why);
    why = NULL;
  }
  return why;
}

const struct export_way export_hip = {.probe = probe,
                                      .device = make_device,
                                      .piece = make_device,
                                      .bundle = bundle,
                                      .object = make_object,
                                      .join = link_partially,
                                      .look = look};
