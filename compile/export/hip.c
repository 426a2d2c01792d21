/* hip.c - what is exported of HIP, by the options that hipcc and clang have for each form.
 *
 *     so, obj       clang -c, and clang -shared of that
 *     code-object   --cuda-device-only -c; for several architectures, a bundle
 *                   made by the command that the driver lists
 *     asm           --cuda-device-only -S
 *     bitcode       --cuda-device-only -emit-llvm
 *
 * Device code that is joined or renamed goes by way of LLVM's bitcode (bitcode.c).
 */
#include "bitcode.h"
#include "driver.h"
#include "judge.h"
#include "way.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/device/bundle.h"

/* ---- is there code? ---- */

static bool read_kernels(struct kernels *k, enum export_format format, const char *bytes, size_t size) {
  return format == EXPORT_CODE_OBJECT ? kernels_of_code_object(k, bytes, size)
         : format == EXPORT_ASM       ? kernels_of_asm(k, bytes)
                                      : kernels_of_ir(k, bytes);
}

/* FILE, of FORMAT for ARCH, must have kernels. Bitcode is looked at as text. */
static bool check_device(struct export *x, enum export_format format, const char *file, const char *arch,
                         char **err) {
  struct kernels k = {0};
  size_t len;
  autofree char *bytes = file_read(file, &len);
  bool good = bytes && read_kernels(&k, format, bytes, len)
                  ? export_judge(x, &k, arch, strlen(arch), err)
                  : task_fail(x->t, err, "the output of the compiler %s is not a %s for AMD's GPUs",
                              x->t->compiler, export_format_name(format));
  kernels_free(&k);
  return good;
}

static bool look(struct export *x, struct kernels *k, const char *arch) {
  autofree char *file = export_new_file(x, ".co"), *bytes = NULL, *err = NULL;
  size_t len;
  if (export_compile(x, EXPORT_CODE_OBJECT, arch, file, &err))
    bytes = file_read(file, &len);
  return bytes && kernels_of_code_object(k, bytes, len);
}

/* ---- the device ---- */

static bool check_bitcode(struct export *x, const char *file, const char *arch, char **err) {
  autofree char *text = export_new_file(x, ".ll");
  return bitcode_to_text(x, file, arch, text, err) && check_device(x, EXPORT_BITCODE, text, arch, err);
}

/* by the compiler's own option for the format */
static bool directly(struct export *x, const char *arch, const char *output, char **err) {
  enum export_format format = x->t->export.format;
  if (!export_compile(x, format, arch, output, err))
    return false;
  return format == EXPORT_BITCODE ? check_bitcode(x, output, arch, err)
                                  : check_device(x, format, output, arch, err);
}

static bool by_bitcode(struct export *x, const char *arch, const char *output, char **err) {
  autofree_argv files = {0};
  argv_add_own(&files, export_new_file(x, ".bc"));
  return export_compile(x, EXPORT_BITCODE, arch, files.args[0], err) &&
         bitcode_to_device(x, &files, arch, output, err);
}

static bool device(struct export *x, const char *arch, const char *output, char **err) {
  if (x->parts->n)
    return bitcode_to_device(x, x->parts, arch, output, err);
  return x->t->export.symbols->n ? by_bitcode(x, arch, output, err) : directly(x, arch, output, err);
}

/* ---- bundles ---- */

/* The file for TARGET (N bytes), such as hipv4-amdgcn-amd-amdhsa--gfx942, among FILES, one for each
 * of the task's architectures in their order; NULL: there is none. */
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
static bool add_inputs(const struct export *x, struct argv *command, const char *targets,
                       const struct argv *files, char **err) {
  for (const char *at = targets; *at;) {
    size_t n = strcspn(at, ",");
    const char *file = str_starts(at, "host-") ? "/dev/null" : file_of_target(x, files, at, n);
    if (!file)
      return task_fail(x->t, err, "the compiler %s bundles for %.*s, which was not asked for", x->t->compiler,
                       (int)n, at);
    argv_addf(command, "-input=%s", file);
    at += n + (at[n] == ',');
  }
  return true;
}

/* FILES, a code object for each of the task's architectures, as one file that HIP's loader takes:
 * with the command that the driver itself would use. */
static bool bundle(struct export *x, const struct argv *files, const char *output, char **err) {
  if (!driver_ask(x, EXPORT_CODE_OBJECT, x->t->archs, output, err))
    return false;
  autofree_argv command = {0};
  const char *targets = NULL;
  for (size_t i = 0; i < x->driver.bundler.n; i++) {
    const char *word = x->driver.bundler.args[i];
    if (str_starts(word, "-targets="))
      targets = word + strlen("-targets=");
    if (str_starts(word, "-output="))
      argv_addf(&command, "-output=%s", output);
    else if (!str_starts(word, "-input="))
      argv_add(&command, word);
  }
  return targets ? add_inputs(x, &command, targets, files, err) && export_run(x, &command, err)
                 : task_fail(x->t, err,
                             "the compiler %s does not say how it bundles code objects (-###); "
                             "export one architecture at a time",
                             x->t->compiler);
}

/* ---- the host ---- */

/* the code object for ARCH in the compressed fat binary BYTES, *LEN bytes, by the compiler's own
 * tool; free() it */
static char *unpack(struct export *x, const char *bytes, size_t size, const char *arch, size_t *len,
                    char **err) {
  char *tool = driver_ask_for_tools(x, err) ? driver_tool(x, "clang-offload-bundler", err) : NULL;
  if (!tool)
    return NULL;
  autofree char *packed = export_new_file(x, ".fat"), *object = export_new_file(x, ".co");
  char *unpacked = NULL;
  autofree_argv command = {0};
  argv_add_own(&command, tool);
  argv_add_words(&command, "-unbundle", "-allow-missing-bundles", "-type=o", NULL);
  argv_addf(&command, "-targets=hipv4-amdgcn-amd-amdhsa--%s", arch);
  argv_addf(&command, "-input=%s", packed);
  argv_addf(&command, "-output=%s", object);
  if (!file_write(packed, bytes, size, 0600))
    task_fail(x->t, err, "cannot write %s: %s", packed, strerror(errno));
  else if (export_run(x, &command, err) && !(unpacked = file_read(object, len)))
    task_fail(x->t, err, "cannot read %s: %s", object, strerror(errno));
  return unpacked;
}

/* The code object for ARCH in the bundle BYTES; NULL: there is none. */
static const char *find_code(const char *bytes, size_t size, const char *arch, size_t *len) {
  struct bundle b;
  struct bundle_entry e;
  if (bundle_open(&b, bytes, size))
    while (bundle_next(&b, &e))
      if (e.data && export_same_arch(e.arch, e.arch_len, arch, strlen(arch))) {
        *len = e.size;
        return e.data;
      }
  return NULL;
}

/* The fat binary BYTES must have code for ARCH. */
static bool check_fat(struct export *x, const char *bytes, size_t size, const char *arch, char **err) {
  struct kernels k = {0};
  size_t len = 0;
  autofree char *unpacked = NULL;
  if (bundle_is_compressed(bytes, size) && !(unpacked = unpack(x, bytes, size, arch, &len, err)))
    return false;
  const char *object = unpacked ? unpacked : find_code(bytes, size, arch, &len);
  bool good = object && kernels_of_code_object(&k, object, len)
                  ? export_judge(x, &k, arch, strlen(arch), err)
                  : export_no_kernel(x, arch, strlen(arch), err);
  kernels_free(&k);
  return good;
}

/* The object FILE must have code for every architecture. */
static bool check_object(struct export *x, const char *file, char **err) {
  const struct compile_task *t = x->t;
  size_t size, index = 0;
  autofree char *bytes = file_read(file, &size);
  struct elf e;
  struct elf_section fat = {0};
  bool good = (bytes && elf_open(&e, bytes, size, NULL) && e.type == ET_REL) ||
              task_fail(t, err, "the output of the compiler %s is not an object file", t->compiler);
  bool has_fat = good && elf_find(&e, ".hip_fatbin", &index, &fat) && fat.data;
  const char *at = t->archs, *word;
  for (size_t n; good && (word = ckjit_arch_next(&at, &n));) {
    autofree char *arch = xstrndup(word, n);
    good = has_fat ? check_fat(x, (const char *)fat.data, fat.size, arch, err)
                   : export_no_kernel(x, word, n, err);
  }
  return good;
}

static bool object(struct export *x, const char *output, char **err) {
  return export_compile(x, EXPORT_OBJ, x->t->archs, output, err) && check_object(x, output, err);
}

/* by the linker of the compiler proper: hipcc adds libraries to every link */
static bool join(struct export *x, const struct argv *objects, const char *output, char **err) {
  if (*x->t->archs && !driver_ask_for_tools(x, err))
    return false;
  autofree_argv command = {0};
  argv_add(&command, x->driver.tools ? x->driver.pass.args[0] : x->t->compiler);
  for (size_t i = 0; i < x->t->flags.n; i++) /* of an export, or a library, for another host */
    if (str_starts(x->t->flags.args[i], "--target="))
      argv_add(&command, x->t->flags.args[i]);
  argv_add_words(&command, "-r", "-nostdlib", "-o", output, NULL);
  argv_add_all(&command, objects->args);
  return export_run(x, &command, err);
}

/* ---- does the compiler know it? ---- */

/* A driver that lists its steps has looked at the architecture. One that lists none will show it
 * when it compiles. */
static bool probe(struct export *x, const char *arch, char **err) {
  char *why = NULL;
  if (driver_ask(x, EXPORT_CODE_OBJECT, arch, "/dev/null", &why))
    return true;
  if (x->driver.refused) {
    *err = why;
    return false;
  }
  free(why);
  return true;
}

const struct export_way export_hip = {.probe = probe,
                                      .device = device,
                                      .piece = device,
                                      .bundle = bundle,
                                      .object = object,
                                      .join = join,
                                      .look = look};
