/* bitcode.c - HIP's device code by way of LLVM's bitcode, for kernels that are joined or renamed.
 *
 *     source ──> bitcode ─┐
 *     source ──> bitcode ─┴─ llvm-link ──> text ── rename ──> bitcode, assembler or code object
 *
 * That is no other code than the direct way's: the bitcode has been through all optimisations, and
 * the last step is the device pass that the compiler's driver itself lists (-###), with bitcode for
 * its input and what has been done left out. clang's -save-temps works in the same way. Code
 * objects cannot be joined as they are: each has one note of metadata, and a loader reads the
 * first.
 */
#include "bitcode.h"
#include "driver.h"
#include "judge.h"
#include "rename.h"
#include "symbol.h"
#include "core/base/path.h"

/* The device pass from INPUT, LLVM's text or bitcode, that has been optimised before. With TEXT,
 * the output is that file, LLVM's text; else it is what the driver was asked for. */
static bool run_pass(struct export *x, const char *input, const char *text, char **err) {
  const struct argv *w = &x->driver.pass;
  autofree_argv command = {0};
  if (w->n < 4 || strcmp(w->args[w->n - 3], "-x") != 0)
    return task_fail(x->t, err,
                     "the device pass of %s does not end with its source; it cannot be given another",
                     x->t->compiler);
  for (size_t i = 0; i < w->n - 3; i++) {
    bool with_word = i + 1 < w->n - 3;
    if (with_word && strcmp(w->args[i], "-mlink-builtin-bitcode") == 0) {
      i++; /* it is in already; again would do no harm, and take a while */
      continue;
    }
    argv_add(&command, w->args[i]);
    if (with_word && text && strcmp(w->args[i], "-o") == 0) {
      argv_add(&command, text);
      i++;
    }
  }
  if (text)
    argv_add(&command, "-emit-llvm"); /* the last of its kind counts */
  argv_add_words(&command, "-disable-llvm-passes", "-x", "ir", input, NULL);
  return export_run(x, &command, err);
}

/* The directory of the file after -o in WORDS must exist. */
static void make_output_dir(const struct argv *words) {
  for (size_t i = 0; i + 1 < words->n; i++)
    if (strcmp(words->args[i], "-o") == 0) {
      autofree char *dir = path_dir(words->args[i + 1]);
      dir_make(dir);
    }
}

/* FILES, bitcode, as one text in the file JOINED */
static bool link_bitcode(struct export *x, const struct argv *files, const char *joined, char **err) {
  autofree_argv command = {0};
  char *tool = driver_tool(x, "llvm-link", err);
  if (!tool)
    return false;
  argv_add_own(&command, tool);
  argv_add_words(&command, "-S", "-o", joined, NULL);
  argv_add_all(&command, files->args);
  return export_run(x, &command, err);
}

/* FILES, bitcode, as one text; free() it */
static char *join_bitcode(struct export *x, const struct argv *files, char **err) {
  autofree char *joined = export_new_file(x, ".ll");
  char *text = NULL;
  size_t len;
  if (files->n == 1 ? run_pass(x, files->args[0], joined, err) : link_bitcode(x, files, joined, err)) {
    text = file_read(joined, &len);
    if (!text)
      task_fail(x->t, err, "cannot read %s: %s", joined, strerror(errno));
  }
  return text;
}

/* Whether TEXT, for ARCH, has kernels with code. */
static bool check_text(struct export *x, const char *text, const char *arch, char **err) {
  struct kernels k = {0};
  bool good = kernels_of_ir(&k, text)
                  ? export_judge(x, &k, arch, strlen(arch), err)
                  : task_fail(x->t, err, "the output of the compiler %s is not bitcode for AMD's GPUs",
                              x->t->compiler);
  kernels_free(&k);
  return good;
}

/* TEXT to what the driver was asked for */
static bool compile_text(struct export *x, const char *text, const char *arch, char **err) {
  autofree char *input = export_new_file(x, ".ll");
  bool done = task_write(x->t, input, text, strlen(text), err);
  if (done) {
    make_output_dir(&x->driver.pass);
    done = run_pass(x, input, NULL, err);
  }
  if (done && x->t->export.format == EXPORT_CODE_OBJECT)
    done = x->driver.link.n
               ? export_run(x, &x->driver.link, err)
               : task_fail(x->t, err, "the compiler %s lists no linker for %s", x->t->compiler, arch);
  return done;
}

bool bitcode_to_device(struct export *x, const struct argv *files, const char *arch, const char *output,
                       char **err) {
  static const struct text_form llvm = {kernels_of_ir, symbol_rename_ir};
  if (!driver_ask(x, x->t->export.format, arch, output, err))
    return false;
  autofree char *text = join_bitcode(x, files, err);
  return text && export_rename_kernels(x, &text, &llvm, err) && check_text(x, text, arch, err) &&
         compile_text(x, text, arch, err);
}

bool bitcode_to_text(struct export *x, const char *file, const char *arch, const char *text, char **err) {
  return driver_ask(x, EXPORT_BITCODE, arch, "/dev/null", err) && run_pass(x, file, text, err);
}
