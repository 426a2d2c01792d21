/* bitcode.c - HIP's device code by way of LLVM's bitcode, for kernels that are joined or renamed.
 *
 *     source ──> bitcode ─┐
 *     source ──> bitcode ─┴─ llvm-link ──> text ── rename ──> bitcode, assembler or code object
 *
 * That is no other code than the direct way's: the bitcode has been through all optimisations, and the
 * last step is the device pass that the compiler's driver itself lists (-###), with bitcode for its input
 * and what has been done left out. clang's -save-temps works in the same way. Code objects cannot be
 * joined as they are: each has one note of metadata, and a loader reads the first.
 */
#include "bitcode.h"
#include "driver.h"
#include "judge.h"
#include "rename.h"
#include "symbol.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The device pass from INPUT, LLVM's text or bitcode, that has been optimised before. With TEXT, the output
 * is that file, LLVM's text; else it is what the driver was asked for. */
static char *run_pass(struct export *x, const char *input, const char *text) {
  const struct argv *w = &x->driver.pass;
  struct argv command = {0};
  if (w->n < 4 || strcmp(w->args[w->n - 3], "-x") != 0)
    return xasprintf("%s: the device pass of %s does not end with its source; it cannot be given another",
                     x->t->stem, x->t->compiler);
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
  argv_add(&command, "-disable-llvm-passes");
  argv_add(&command, "-x");
  argv_add(&command, "ir");
  argv_add(&command, input);
  char *why = export_run(x, &command);
  argv_free(&command);
  return why;
}

/* the directory of the file behind -o in WORDS must be there */
static void make_output_dir(const struct argv *words) {
  for (size_t i = 0; i + 1 < words->n; i++)
    if (strcmp(words->args[i], "-o") == 0) {
      char *dir = path_dir(words->args[i + 1]);
      dir_make(dir);
      free(dir);
    }
}

/* FILES, bitcode, as one text in *TEXT, which is the caller's */
static char *join_bitcode(struct export *x, const struct argv *files, char **text) {
  char *joined = export_new_file(x, ".ll"), *why;
  if (files->n == 1) {
    why = run_pass(x, files->args[0], joined);
  } else {
    struct argv command = {0};
    char *tool = driver_tool(x, "llvm-link", &why);
    if (tool) {
      argv_add_own(&command, tool);
      argv_add(&command, "-S");
      argv_add(&command, "-o");
      argv_add(&command, joined);
      argv_add_all(&command, files->args);
      why = export_run(x, &command);
    }
    argv_free(&command);
  }
  size_t len;
  if (!why && !(*text = file_read(joined, &len)))
    why = export_cannot_read(x, joined);
  free(joined);
  return why;
}

static const struct text_form llvm_text = {kernels_of_ir, symbol_rename_ir};

char *bitcode_to_device(struct export *x, const struct argv *files, const char *arch, const char *output) {
  const struct compile_task *t = x->t;
  struct kernels k = {0};
  char *text = NULL, *why = driver_ask(x, t->format, arch, output), *input = export_new_file(x, ".ll");
  if (!why)
    why = join_bitcode(x, files, &text);
  if (!why)
    why = export_rename_kernels(x, &text, &llvm_text);
  if (!why && !kernels_of_ir(&k, text))
    why = xasprintf("%s: what the compiler %s made is no bitcode for AMD's GPUs", t->stem, t->compiler);
  if (!why)
    why = export_judge(x, &k, arch, strlen(arch));
  if (!why && !file_write(input, text, strlen(text), 0600))
    why = xasprintf("%s: cannot write %s: %s", t->stem, input, strerror(errno));
  if (!why) {
    make_output_dir(&x->driver.pass);
    why = run_pass(x, input, NULL);
  }
  if (!why && t->format == EXPORT_CODE_OBJECT)
    why = x->driver.link.n
              ? export_run(x, &x->driver.link)
              : xasprintf("%s: the compiler %s lists no linker for %s", t->stem, t->compiler, arch);
  kernels_free(&k);
  free(text);
  free(input);
  return why;
}

char *bitcode_to_text(struct export *x, const char *file, const char *arch, const char *text) {
  char *why = driver_ask(x, EXPORT_BITCODE, arch, "/dev/null");
  return why ? why : run_pass(x, file, text);
}
