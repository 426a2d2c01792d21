/* cuda.c - what is exported of CUDA, by nvcc's own options for each form.
 *
 *     so, obj       nvcc -c, and nvcc -shared of that
 *     code-object   nvcc -cubin for one GPU; for several architectures, or PTX,
 *                   a fat binary of what -cubin and -ptx make, by the fatbinary
 *                   command that nvcc --dryrun prints
 *     asm           nvcc -ptx
 *     bitcode       nvcc -ltoir
 *
 * A kernel gets another name in its PTX, from which nvcc itself can go on: `nvcc -cubin x.ptx`.
 * Device code of several kernels cannot be joined: PTX and cubins are whole modules, and nvcc makes
 * nothing else of a blob.
 *
 * An object is compiled with --keep, which gives its intermediate files the source's name instead
 * of a random one (they are in the object), and leaves the cubins and the PTX there to be looked
 * at.
 */
#include "command.h"
#include "judge.h"
#include "rename.h"
#include "symbol.h"
#include "way.h"
#include "compile/environment.h"
#include "compile/known.h"
#include "compile/plan_run.h"
#include "core/cc/compiler.h"
#include "core/base/elf.h"
#include "core/cc/nvcc.h"
#include "core/base/path.h"

#include <unistd.h>

/* ---- asking nvcc ---- */

/* the line of TEXT by which nvcc refuses a command; NULL: it does not. free() it */
static char *refusal_in(const char *text) {
  const char *line = strstr(text, "nvcc fatal");
  if (!line && strstr(text, "fatal"))
    line = text;
  return line ? xstrndup(line, strcspn(line, "\n")) : NULL;
}

/* The steps of COMMAND. REFUSAL (may be NULL): what nvcc says if it refuses the command; free()
 * it. */
static bool ask(struct export *x, const struct argv *command, struct nvcc_plan *plan, char **refusal,
                char **err) {
  bool done;
  autofree char *text = plan_ask_steps(x->t->kind->dialect, command, compile_environment(x->t), x->temporary,
                                       &done),
                *unread = NULL;
  if (!done && refusal && text)
    *refusal = refusal_in(text);
  if (!done || !text || !nvcc_plan_read(plan, text, &unread))
    done = task_fail(x->t, err, "the compiler %s does not list its steps (--dryrun)", x->t->compiler);
  return done;
}

static bool is_virtual(const char *arch) {
  return strncmp(arch, "sm_", 3) != 0;
}

/* a form of the device's code that there is for ARCH */
static enum export_format device_format(const char *arch) {
  return is_virtual(arch) ? EXPORT_ASM : EXPORT_CODE_OBJECT;
}

/* nvcc looks at the architectures before it lists its steps. */
static bool probe(struct export *x, const char *arch, char **err) {
  autofree_argv command = {0};
  struct nvcc_plan plan = {0};
  autofree char *refusal = NULL, *unknown = NULL;
  export_command_compile(&command, x->t, x->t->source, device_format(arch), arch, "/dev/null");
  ask(x, &command, &plan, &refusal, &unknown);
  autofree char *tell = refusal ? known_tell(x->t, x->temporary, arch) : NULL;
  bool known = !refusal || task_fail(x->t, err, "the compiler %s cannot compile for architecture %s%s\n  %s",
                                     x->t->compiler, arch, tell, refusal);
  nvcc_plan_free(&plan);
  return known;
}

/* ---- is there code? ---- */

static bool read_kernels(struct kernels *k, const char *file) {
  size_t len;
  autofree char *bytes = file_read(file, &len);
  return bytes && (elf_magic(bytes, len) ? kernels_of_cubin(k, bytes, len) : kernels_of_ptx(k, bytes));
}

bool export_cuda_check(struct export *x, const char *file, const char *arch, char **err) {
  struct kernels k = {0};
  bool good = read_kernels(&k, file)
                  ? export_judge(x, &k, arch, strlen(arch), err)
                  : task_fail(x->t, err, "the output of the compiler %s for %s is not code for NVIDIA's GPUs",
                              x->t->compiler, arch);
  kernels_free(&k);
  return good;
}

static bool look(struct export *x, struct kernels *k, const char *arch) {
  autofree char *file = export_new_file(x, is_virtual(arch) ? ".ptx" : ".cubin"), *err = NULL;
  return export_compile(x, device_format(arch), arch, file, &err) && read_kernels(k, file);
}

/* ---- the device ---- */

bool export_cuda_rename(struct export *x, const char *first, const char *output, char **err) {
  static const struct text_form ptx = {kernels_of_ptx, symbol_rename_ptx};
  size_t len;
  autofree char *text = file_read(first, &len);
  if (!text)
    return task_fail(x->t, err, "cannot read %s: %s", first, strerror(errno));
  return export_rename_kernels(x, &text, &ptx, err) &&
         (file_write(output, text, strlen(text), 0666) ||
          task_fail(x->t, err, "cannot write %s: %s", output, strerror(errno)));
}

static bool renamed_ptx(struct export *x, const char *arch, const char *output, char **err) {
  autofree char *first = export_new_file(x, ".ptx");
  return export_compile(x, EXPORT_ASM, arch, first, err) && export_cuda_rename(x, first, output, err);
}

/* A cubin by way of PTX, where the kernel gets its name. */
static bool renamed_cubin(struct export *x, const char *arch, const char *output, char **err) {
  autofree char *ptx = export_new_file(x, ".ptx");
  return renamed_ptx(x, arch, ptx, err) && export_compile_file(x, ptx, EXPORT_CODE_OBJECT, arch, output, err);
}

/* Code for ARCH alone: PTX if it is asked for or ARCH is virtual, else a cubin. */
static bool piece(struct export *x, const char *arch, const char *output, char **err) {
  bool ptx = is_virtual(arch) || x->t->export.format == EXPORT_ASM, named = x->t->export.symbols->n > 0;
  bool done = ptx && named ? renamed_ptx(x, arch, output, err)
              : named      ? renamed_cubin(x, arch, output, err)
                           : export_compile(x, ptx ? EXPORT_ASM : EXPORT_CODE_OBJECT, arch, output, err);
  return done && export_cuda_check(x, output, arch, err);
}

/* Only nvJitLink and nvlink can look into LTO-IR. */
static bool make_lto(struct export *x, const char *arch, const char *output, char **err) {
  if (x->t->export.symbols->n)
    return task_fail(x->t, err,
                     "--symbol: kernels in LTO-IR keep their names; rename in --format asm or code-object");
  return export_compile(x, EXPORT_BITCODE, arch, output, err);
}

static bool bundle(struct export *x, const struct argv *files, const char *output, char **err);

/* PTX alone as a code object: a fat binary that holds it */
static bool bundled_ptx(struct export *x, const char *arch, const char *output, char **err) {
  autofree_argv files = {0};
  argv_add_own(&files, export_new_file(x, ".ptx"));
  return piece(x, arch, files.args[0], err) && bundle(x, &files, output, err);
}

static bool device(struct export *x, const char *arch, const char *output, char **err) {
  if (x->parts->n)
    return task_fail(
        x->t, err,
        "device code of CUDA is a module for each kernel and cannot be joined; export to a directory");
  if (x->t->export.format == EXPORT_BITCODE)
    return make_lto(x, arch, output, err);
  if (x->t->export.format == EXPORT_ASM || !is_virtual(arch))
    return piece(x, arch, output, err);
  return bundled_ptx(x, arch, output, err);
}

/* ---- fat binaries ---- */

/* The value of KEY in "kind=elf,sm=90,file=…"; *N its length. NULL: there is none. */
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

/* one of FILES, one for each of the task's architectures in their order, for IMAGE; NULL: there is
 * none */
static const char *file_of_image(const struct export *x, const struct argv *files, const char *image) {
  size_t n, m, i = 0;
  const char *kind = image_value(image, "kind=", &n), *number = image_value(image, ",sm=", &m);
  const char *at = x->t->archs, *word;
  for (size_t length; kind && number && i < files->n && (word = ckjit_arch_next(&at, &length)); i++)
    if (is_image_of(word, length, kind, n, number, m))
      return files->args[i];
  return NULL;
}

/* Appends nvcc's STEP, for FILES instead of its own, with OUTPUT as its output. */
static bool fatbinary_command(const struct export *x, struct argv *command, const struct nvcc_step *step,
                              const struct argv *files, const char *output, char **err) {
  for (size_t i = 0; i < step->words.n; i++) {
    const char *word = step->words.args[i], *file = strstr(word, ",file=");
    if (str_starts(word, "--create=")) {
      argv_addf(command, "--create=%s", output);
    } else if (!str_starts(word, "--image") || !file) {
      argv_add(command, word);
    } else {
      const char *ours = file_of_image(x, files, word);
      if (!ours)
        return task_fail(x->t, err,
                         "the compiler %s puts %.*s into a fat binary, although nobody asked for it",
                         x->t->compiler, (int)(file - word), word);
      argv_addf(command, "%.*s,file=%s", (int)(file - word), word, ours);
    }
  }
  return true;
}

/* How nvcc itself would do it. */
static void fatbin_command(struct argv *command, const struct export *x, const char *output) {
  autofree_argv plain = {0};
  export_command_compile(&plain, x->t, x->t->source, EXPORT_CODE_OBJECT, x->t->archs, output);
  for (size_t i = 0; i < plain.n; i++)
    argv_add(command, strcmp(plain.args[i], "-cubin") == 0 ? "-fatbin" : plain.args[i]);
}

static bool bundle(struct export *x, const struct argv *files, const char *output, char **err) {
  autofree_argv whole = {0}, command = {0};
  struct nvcc_plan plan = {0};
  fatbin_command(&whole, x, output);
  bool done = ask(x, &whole, &plan, NULL, err);
  const struct nvcc_step *step = plan.first[NVCC_FATBINARY];
  if (done && !step)
    done = task_fail(x->t, err,
                     "the compiler %s does not say how it makes a fat binary (--dryrun); "
                     "export one architecture at a time",
                     x->t->compiler);
  done = done && fatbinary_command(x, &command, step, files, output, err) && export_run(x, &command, err);
  nvcc_plan_free(&plan);
  return done;
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

/* The kernels that PLAN keeps for each architecture must exist. */
static bool check_kept(struct export *x, const struct nvcc_plan *plan, char **err) {
  const char *at = x->t->archs, *word;
  bool good = true;
  for (size_t n; good && (word = ckjit_arch_next(&at, &n));) {
    const char *file = file_of_arch(plan, word, n);
    autofree char *arch = xstrndup(word, n);
    good = file ? export_cuda_check(x, file, arch, err)
                : task_fail(x->t, err, "the compiler %s does not print its commands for %s (--dryrun)",
                            x->t->compiler, arch);
  }
  return good;
}

static bool object(struct export *x, const char *output, char **err) {
  autofree_argv command = {0};
  struct nvcc_plan plan = {0};
  autofree char *kept = export_new_file(x, ".keep");
  export_command_compile(&command, x->t, x->t->source, EXPORT_OBJ, x->t->archs, output);
  argv_add_words(&command, "--keep", "--keep-dir", kept, NULL);
  bool done = dir_make(kept) || task_fail(x->t, err, "cannot make %s: %s", kept, strerror(errno));
  done = done && export_run_compiler(x, &command, err) && ask(x, &command, &plan, NULL, err) &&
         check_kept(x, &plan, err);
  nvcc_plan_free(&plan);
  return done;
}

/* by nvcc's host compiler */
static bool join(struct export *x, const struct argv *objects, const char *output, char **err) {
  autofree_argv command = {0}, plain = {0};
  struct nvcc_plan plan = {0};
  export_command_compile(&plain, x->t, x->t->source, EXPORT_OBJ, x->t->archs, output);
  bool done = ask(x, &plain, &plan, NULL, err);
  const struct nvcc_step *host = plan.first[NVCC_HOST];
  if (done && !host)
    done = task_fail(x->t, err, "the compiler %s does not say which host compiler it uses (--dryrun)",
                     x->t->compiler);
  if (done) {
    argv_add_words(&command, host->words.args[0], "-r", "-nostdlib", "-o", output, NULL);
    argv_add_all(&command, objects->args);
    done = export_run(x, &command, err);
  }
  nvcc_plan_free(&plan);
  return done;
}

const struct export_way export_cuda = {.probe = probe,
                                       .device = device,
                                       .piece = piece,
                                       .bundle = bundle,
                                       .object = object,
                                       .join = join,
                                       .look = look};
