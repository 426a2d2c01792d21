/* cuda.c - what is exported of CUDA, by nvcc's own options for each form.
 *
 *     so, obj       nvcc -c, and nvcc -shared of that
 *     code-object   nvcc -cubin for one GPU; for several architectures, or PTX,
 *                   a fat binary of what -cubin and -ptx make, by the fatbinary
 *                   command that nvcc --dryrun tells
 *     asm           nvcc -ptx
 *     bitcode       nvcc -ltoir
 *
 * A kernel gets another name in its PTX, which is where nvcc itself goes on: `nvcc -cubin x.ptx`. Device code
 * of several kernels cannot be joined: PTX and cubins are whole modules, and nvcc makes nothing else of a
 * blob.
 *
 * An object is compiled with --keep, which gives its intermediate files the source's name instead of a random
 * one (they are in the object), and leaves the cubins and the PTX there to be looked at.
 */
#include "command.h"
#include "judge.h"
#include "rename.h"
#include "symbol.h"
#include "way.h"
#include "compile/plan_run.h"
#include "core/base/childenv.h"
#include "core/cc/compiler.h"
#include "core/base/elf.h"
#include "core/cc/nvcc.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- asking nvcc ---- */

/* The steps of COMMAND. Where nvcc refuses it, *REFUSAL is what it says; free() it. */
static char *ask(struct export *x, const struct argv *command, struct nvcc_plan *plan, char **refusal) {
  struct argv words = {0}, env = {0};
  argv_add_all(&words, command->args);
  argv_add(&words, "--dryrun");
  childenv_copy(&env);
  char *answer = export_new_file(x, ".plan");
  bool done = plan_ask(&words, &env, answer);
  size_t len;
  char *text = file_read(answer, &len), *why = NULL, *unread = NULL;
  if (!done && refusal && text && strstr(text, "fatal"))
    *refusal = xstrndup(strstr(text, "nvcc fatal") ? strstr(text, "nvcc fatal") : text,
                        strcspn(strstr(text, "nvcc fatal") ? strstr(text, "nvcc fatal") : text, "\n"));
  if (!done || !text || !nvcc_plan_read(plan, text, &unread))
    why = xasprintf("%s: the compiler %s does not say what its steps are (--dryrun)", x->t->stem,
                    x->t->compiler);
  argv_free(&words);
  argv_free(&env);
  free(answer);
  free(text);
  free(unread);
  return why;
}

static bool is_virtual(const char *arch) {
  return strncmp(arch, "sm_", 3) != 0;
}

/* nvcc looks at the architectures before it lists its steps. */
static char *probe(struct export *x, const char *arch) {
  struct argv command = {0};
  struct nvcc_plan plan = {0};
  char *refusal = NULL;
  export_command_compile(&command, x->t, is_virtual(arch) ? EXPORT_ASM : EXPORT_CODE_OBJECT, arch,
                         "/dev/null");
  char *unknown = ask(x, &command, &plan, &refusal);
  char *why = refusal ? xasprintf("%s: the compiler %s cannot compile for architecture %s\n  %s", x->t->stem,
                                  x->t->compiler, arch, refusal)
                      : NULL;
  nvcc_plan_free(&plan);
  argv_free(&command);
  free(unknown);
  free(refusal);
  return why;
}

/* ---- is there code? ---- */

static bool read_kernels(struct kernels *k, const char *file) {
  size_t len;
  char *bytes = file_read(file, &len);
  bool ours = bytes && (elf_magic(bytes, len) ? kernels_of_cubin(k, bytes, len) : kernels_of_ptx(k, bytes));
  free(bytes);
  return ours;
}

/* FILE, a cubin or PTX for ARCH, must have kernels. */
static char *check(struct export *x, const char *file, const char *arch) {
  struct kernels k = {0};
  char *why = read_kernels(&k, file)
                  ? export_judge(x, &k, arch, strlen(arch))
                  : xasprintf("%s: what the compiler %s made for %s is no code for NVIDIA's GPUs", x->t->stem,
                              x->t->compiler, arch);
  kernels_free(&k);
  return why;
}

static bool look(struct export *x, struct kernels *k, const char *arch) {
  char *file = export_new_file(x, is_virtual(arch) ? ".ptx" : ".cubin");
  char *why = export_compile(x, x->t, is_virtual(arch) ? EXPORT_ASM : EXPORT_CODE_OBJECT, arch, file);
  bool found = !why && read_kernels(k, file);
  free(why);
  free(file);
  return found;
}

/* ---- the device ---- */

static const struct text_form ptx_text = {kernels_of_ptx, symbol_rename_ptx};

/* PTX for ARCH with the names that were asked for */
static char *renamed_ptx(struct export *x, const char *arch, const char *output) {
  size_t len;
  char *first = export_new_file(x, ".ptx"), *why = export_compile(x, x->t, EXPORT_ASM, arch, first);
  char *text = why ? NULL : file_read(first, &len);
  if (!why && !text)
    why = xasprintf("%s: cannot read %s: %s", x->t->stem, first, strerror(errno));
  if (!why)
    why = export_rename_kernels(x, &text, &ptx_text);
  if (!why && !file_write(output, text, strlen(text), 0666))
    why = xasprintf("%s: cannot write %s: %s", x->t->stem, output, strerror(errno));
  free(first);
  free(text);
  return why;
}

/* A cubin by way of PTX, where the kernel gets its name. */
static char *renamed_cubin(struct export *x, const char *arch, const char *output) {
  char *ptx = export_new_file(x, ".ptx"), *why = renamed_ptx(x, arch, ptx);
  if (!why) {
    struct compile_task of_ptx = *x->t;
    of_ptx.source = ptx;
    why = export_compile(x, &of_ptx, EXPORT_CODE_OBJECT, arch, output);
  }
  free(ptx);
  return why;
}

static char *refuse_joined(const struct export *x) {
  return xasprintf(
      "%s: device code of CUDA is a module for each kernel and cannot be joined; export to a directory",
      x->t->stem);
}

/* Code for ARCH alone: PTX where it is asked for or ARCH is virtual, else a cubin. */
static char *piece(struct export *x, const char *arch, const char *output) {
  bool ptx = is_virtual(arch) || x->t->format == EXPORT_ASM, named = x->t->symbols->n > 0;
  char *why = ptx && named ? renamed_ptx(x, arch, output)
              : named      ? renamed_cubin(x, arch, output)
                           : export_compile(x, x->t, ptx ? EXPORT_ASM : EXPORT_CODE_OBJECT, arch, output);
  return why ? why : check(x, output, arch);
}

/* LTO-IR is nobody's but nvJitLink's and nvlink's to look into. */
static char *make_lto(struct export *x, const char *arch, const char *output) {
  if (x->t->symbols->n)
    return xasprintf(
        "%s: --symbol: kernels in LTO-IR keep their names; rename in --format asm or code-object",
        x->t->stem);
  return export_compile(x, x->t, EXPORT_BITCODE, arch, output);
}

static char *bundle(struct export *x, const struct argv *files, const char *output);

static char *device(struct export *x, const char *arch, const char *output) {
  if (x->t->parts->n)
    return refuse_joined(x);
  if (x->t->format == EXPORT_BITCODE)
    return make_lto(x, arch, output);
  if (x->t->format == EXPORT_ASM || !is_virtual(arch))
    return piece(x, arch, output);
  struct argv files = {0};
  argv_add_own(&files, export_new_file(x, ".ptx"));
  char *why = piece(x, arch, files.args[0]);
  if (!why)
    why = bundle(x, &files, output);
  argv_free(&files);
  return why;
}

/* ---- fat binaries ---- */

/* The value of KEY in "kind=elf,sm=90,file=…"; *N its length. NULL where there is none. */
static const char *image_value(const char *image, const char *key, size_t *n) {
  const char *at = strstr(image, key);
  at = at ? at + strlen(key) : NULL;
  *n = at ? strcspn(at, ",") : 0;
  return at;
}

/* whether an image of KIND (N bytes) for number NUMBER (M bytes) is ARCH */
static bool is_image_of(const char *arch, size_t length, const char *kind, size_t n, const char *number,
                        size_t m) {
  const char *colon = memchr(arch, ':', length), *end = colon ? colon : arch + length;
  const char *digits = memchr(arch, '_', (size_t)(end - arch));
  bool ptx = n == 3 && memcmp(kind, "ptx", 3) == 0;
  return digits && ptx == (*arch == 'c') && (size_t)(end - digits - 1) == m &&
         memcmp(digits + 1, number, m) == 0;
}

/* one of FILES, one for each of the task's architectures in their order, for IMAGE; NULL: there is none */
static const char *file_of_image(const struct export *x, const struct argv *files, const char *image) {
  size_t n, m, i = 0;
  const char *kind = image_value(image, "kind=", &n), *number = image_value(image, ",sm=", &m);
  const char *at = x->t->archs, *word;
  for (size_t length; kind && number && i < files->n && (word = ckjit_arch_next(&at, &length)); i++)
    if (is_image_of(word, length, kind, n, number, m))
      return files->args[i];
  return NULL;
}

/* STEP of nvcc's, for FILES instead of its own, to OUTPUT */
static char *fatbinary_command(const struct export *x, struct argv *command, const struct nvcc_step *step,
                               const struct argv *files, const char *output) {
  for (size_t i = 0; i < step->words.n; i++) {
    const char *word = step->words.args[i], *file = strstr(word, ",file=");
    if (str_starts(word, "--create=")) {
      argv_addf(command, "--create=%s", output);
    } else if (!str_starts(word, "--image") || !file) {
      argv_add(command, word);
    } else {
      const char *ours = file_of_image(x, files, word);
      if (!ours)
        return xasprintf("%s: the compiler %s puts %.*s into a fat binary, which was not asked for",
                         x->t->stem, x->t->compiler, (int)(file - word), word);
      argv_addf(command, "%.*s,file=%s", (int)(file - word), word, ours);
    }
  }
  return NULL;
}

/* How nvcc itself would do it. */
static void fatbin_command(struct argv *command, const struct export *x, const char *output) {
  struct argv plain = {0};
  export_command_compile(&plain, x->t, EXPORT_CODE_OBJECT, x->t->archs, output);
  for (size_t i = 0; i < plain.n; i++)
    argv_add(command, strcmp(plain.args[i], "-cubin") == 0 ? "-fatbin" : plain.args[i]);
  argv_free(&plain);
}

static char *bundle(struct export *x, const struct argv *files, const char *output) {
  struct argv whole = {0}, command = {0};
  struct nvcc_plan plan = {0};
  fatbin_command(&whole, x, output);
  char *why = ask(x, &whole, &plan, NULL);
  size_t step = nvcc_plan_find(&plan, NVCC_FATBINARY, 0);
  if (!why && step == plan.n)
    why = xasprintf(
        "%s: the compiler %s does not say how it makes a fat binary (--dryrun); export one architecture "
        "at a time",
        x->t->stem, x->t->compiler);
  if (!why)
    why = fatbinary_command(x, &command, &plan.steps[step], files, output);
  if (!why)
    why = export_run(x, &command);
  nvcc_plan_free(&plan);
  argv_free(&whole);
  argv_free(&command);
  return why;
}

/* ---- the host ---- */

/* the file of PLAN with the code for ARCH (N bytes); NULL: there is none */
static const char *file_of_arch(const struct nvcc_plan *plan, const char *arch, size_t n) {
  bool ptx = strncmp(arch, "compute_", 8) == 0;
  const char *colon = memchr(arch, ':', n);
  size_t length = colon ? (size_t)(colon - arch) : n;
  for (size_t i = 0; i < plan->n; i++) {
    const struct nvcc_step *s = &plan->steps[i];
    const char *of = s->kind == (ptx ? NVCC_CICC : NVCC_PTXAS) ? nvcc_value(s, "-arch") : NULL;
    if (of && s->output && strlen(of) == length && memcmp(of, arch, length) == 0)
      return s->output;
  }
  return NULL;
}

static char *object(struct export *x, const char *output) {
  struct argv command = {0};
  struct nvcc_plan plan = {0};
  char *kept = export_new_file(x, ".keep");
  export_command_compile(&command, x->t, EXPORT_OBJ, x->t->archs, output);
  argv_add(&command, "--keep");
  argv_add(&command, "--keep-dir");
  argv_add(&command, kept);
  char *why = dir_make(kept) ? NULL : xasprintf("%s: cannot make %s: %s", x->t->stem, kept, strerror(errno));
  if (!why)
    why = export_run_compiler(x, &command);
  if (!why)
    why = ask(x, &command, &plan, NULL);
  const char *at = x->t->archs, *word;
  for (size_t n; !why && (word = ckjit_arch_next(&at, &n));) {
    const char *file = file_of_arch(&plan, word, n);
    char *arch = xstrndup(word, n);
    why = file ? check(x, file, arch)
               : xasprintf("%s: the compiler %s does not say what it makes for %s (--dryrun)", x->t->stem,
                           x->t->compiler, arch);
    free(arch);
  }
  nvcc_plan_free(&plan);
  argv_free(&command);
  free(kept);
  return why;
}

/* By nvcc's host compiler, which it tells. */
static char *join(struct export *x, const struct argv *objects, const char *output) {
  struct argv command = {0}, plain = {0};
  struct nvcc_plan plan = {0};
  export_command_compile(&plain, x->t, EXPORT_OBJ, x->t->archs, output);
  char *why = ask(x, &plain, &plan, NULL);
  size_t host = nvcc_plan_find(&plan, NVCC_HOST, 0);
  if (!why && host == plan.n)
    why = xasprintf("%s: the compiler %s does not say which host compiler it uses (--dryrun)", x->t->stem,
                    x->t->compiler);
  if (!why) {
    static const char *const words[] = {"-r", "-nostdlib", "-o"};
    argv_add(&command, plan.steps[host].words.args[0]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      argv_add(&command, words[i]);
    argv_add(&command, output);
    argv_add_all(&command, objects->args);
    why = export_run(x, &command);
  }
  nvcc_plan_free(&plan);
  argv_free(&plain);
  argv_free(&command);
  return why;
}

const struct export_way export_cuda = {.probe = probe,
                                       .device = device,
                                       .piece = piece,
                                       .bundle = bundle,
                                       .object = object,
                                       .join = join,
                                       .look = look};
