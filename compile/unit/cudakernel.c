/* cudakernel.c - the entry of one kernel of CUDA, made of the bitcode of its blob or unit.
 *
 * The bitcode in the entry is of all kernels. All but one are made internal (nvvm.h), so that the optimiser
 * drops them, and the steps behind the front end are run as the entry says: cicc, ptxas, fatbinary. What
 * comes out is a fat binary in a file of its own (compile/codeentry.h), which the shim in the blob's entry
 * registers (runtime/ck_jit_cuda_kernels.c).
 *
 * A kernel that uses a variable which another one may write must be in one module with that other. Whether
 * it does is seen in its PTX; its entry is then empty, which says: take all kernels together. They are a
 * "kernel" called "*".
 */
#include "cudakernel.h"
#include "abi/ck_jit_access.h"
#include "abi/ck_jit_code.h"
#include "core/device/nvvmgraph.h"
#include "frontsteps.h"
#include "compile/codeentry.h"
#include "compile/run.h"
#include "core/base/elf.h"
#include "core/base/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* what an entry with the bitcode of all kernels says */
struct blob_entry {
  const char *file;
  char *bytes; /* of the entry */
  char *bitcode;
  size_t len;
  struct frontsteps steps;
};

static void blob_entry_free(struct blob_entry *b) {
  free(b->bytes);
  free(b->bitcode);
  frontsteps_free(&b->steps);
}

static bool read_blob_entry(struct blob_entry *b, const struct compile_task *t, char **err) {
  size_t len, at = 0;
  struct elf e;
  struct elf_section code, steps;
  b->bytes = file_read_cached(b->file, CKJIT_ENTRY_MOST, &len);
  if (!b->bytes)
    return task_fail(t, err, "cannot read the entry of its blob, %s: %s", b->file, strerror(errno));
  bool found = elf_open(&e, b->bytes, len, NULL) && elf_find(&e, KERNELS_SECTION, &at, &code) && code.data;
  at = 0;
  found = found && elf_find(&e, FRONT_STEPS, &at, &steps) && steps.data;
  char *text = found ? xstrndup((const char *)steps.data, steps.size) : NULL;
  found = text && frontsteps_read(&b->steps, text);
  free(text);
  if (!found)
    return task_fail(
        t, err,
        "%s does not hold its kernels' bitcode as this version of ckjit writes it; remove it, and ckjit compiles it again",
        b->file);
  b->len = code.size;
  b->bitcode = xmalloc(code.size + 1);
  memcpy(b->bitcode, code.data, code.size);
  return true;
}

static bool check_tools(const struct compile_task *t, const struct blob_entry *b, char **err) {
  const char *other = frontsteps_other_tool(&b->steps);
  return !other ||
         task_fail(
             t, err,
             "%s is not the program that made its blob's entry (another release of CUDA?); remove %s, and ckjit compiles it again with the present one",
             other, b->file);
}

/* ---- one step ---- */

/* Run WORDS with files in the places of {in} and {out}; NAME is the log's. */
static bool run(const struct compile_task *t, const struct blob_entry *b, const struct argv *words,
                const char *in, const char *out, const char *temporary, const char *name, char **err) {
  struct argv command = {0};
  for (size_t i = 0; i < words->n; i++) {
    const char *w = words->args[i], *at = strstr(w, CICC_IN);
    if (at && !at[strlen(CICC_IN)])
      argv_addf(&command, "%.*s%s", (int)(at - w), w, in);
    else
      argv_add(&command, strcmp(w, CICC_OUT) == 0 ? out : w);
  }
  char *log = xasprintf("%s/%s.log", temporary, name);
  say_command(t, &command);
  bool done =
      ckjit_may(command.args[0], X_OK)
          ? run_command(t, &command, log, err)
          : task_fail(
                t, err,
                "%s, which made the blob's entry, no longer exists; remove %s, and ckjit compiles it again with the present compiler",
                command.args[0], b->file);
  argv_free(&command);
  free(log);
  return done;
}

/* ---- variables ---- */

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether the PTX declares one of VARIABLES. What no kernel uses is not in it. */
static bool uses_any(const char *ptx, const struct argv *variables) {
  for (const char *line = ptx; *line;) {
    size_t n = strcspn(line, "\n");
    bool declares = *line == '.' && (memmem(line, n, ".global ", 8) || memmem(line, n, ".const ", 7));
    for (size_t i = 0; declares && i < variables->n; i++) {
      size_t m = strlen(variables->args[i]);
      const char *at = m ? memmem(line, n, variables->args[i], m) : NULL;
      if (at && !is_name(at[-1]) && !is_name(at[m]))
        return true;
    }
    line += n + (line[n] == '\n');
  }
  return false;
}

/* ---- the entry ---- */

/* The bitcode of the one kernel, in FILE. */
static bool cut_out(const struct compile_task *t, struct blob_entry *b, const char *file,
                    struct nvvm_facts *facts, char **err) {
  static const char remedy[] =
      "set CK_JIT_PER_KERNEL=0 and remove the entry: ckjit then compiles the whole blob";
  static const char other_name[] =
      "its host code and its device code call a kernel differently; build it with `front: build` in the "
      "profile, which compares them, or with CK_JIT_UNITS=0";
  const char *why;
  if (!nvvm_keep(b->bitcode, b->len, task_is_whole(t) ? NULL : t->kernel, !t->of_entry, facts, &why))
    return task_fail(t, err, "the bitcode in %s: %s; %s", b->file, why, remedy);
  if (!task_is_whole(t) && !facts->found)
    return task_fail(t, err, "the bitcode in %s: there is no kernel %s; %s", b->file, t->kernel,
                     !t->of_entry ? other_name : remedy);
  return task_write(t, file, b->bitcode, b->len, err);
}

/* Does PTX use a variable that another kernel or the host may write? A blob's host code names
 * none. */
static bool has_written(const struct compile_task *t, const struct blob_entry *b, const char *ptx) {
  struct nvvm_facts all = {0};
  const char *why;
  bool has = !nvvm_graph_facts(b->bitcode, b->len, !t->of_entry ? &b->steps.device_only : NULL, &all, &why) ||
             uses_any(ptx, &all.variables);
  nvvm_facts_free(&all);
  return has;
}

/* Whether the kernel must be in one module with others. */
static bool is_shared(const struct compile_task *t, const struct blob_entry *b, const char *ptx,
                      const struct nvvm_facts *facts) {
  size_t len;
  char *text = task_is_whole(t) ? NULL : file_read(ptx, &len);
  bool shared = text && uses_any(text, &facts->variables) && has_written(t, b, text);
  if (shared && t->verbose)
    note("%s: it uses variables that other kernels may write: compiling them together", t->stem);
  free(text);
  return shared;
}

/* the files on the way from the entry of the blob to that of the kernel */
struct files {
  char *bitcode, *ptx, *cubin, *fatbin;
};

static bool make(const struct compile_task *t, struct blob_entry *b, const struct files *files,
                 struct nvvm_facts *facts, const char *temporary, const char *output, char **err) {
  if (!check_tools(t, b, err) || !cut_out(t, b, files->bitcode, facts, err) ||
      !run(t, b, &b->steps.cicc, files->bitcode, files->ptx, temporary, "cicc", err))
    return false;
  if (!t->export.format && is_shared(t, b, files->ptx, facts)) /* what is exported has variables of its own */
    return codeentry_of_fatbin(t, output, CKJIT_CODE_CUDA, NULL, err);
  argv_addf(&b->steps.fatbinary, "--create=%s", files->fatbin);
  return run(t, b, &b->steps.ptxas, files->ptx, files->cubin, temporary, "ptxas", err) &&
         run(t, b, &b->steps.fatbinary, files->cubin, files->fatbin, temporary, "fatbinary", err) &&
         codeentry_of_fatbin(t, output, CKJIT_CODE_CUDA, files->fatbin, err);
}

bool cuda_kernel_make(struct compile_task *t, const char *entry, const char *temporary, const char *output,
                      char **err) {
  struct blob_entry b = {.file = entry};
  struct nvvm_facts facts = {0};
  struct files files = {path_join(temporary, "kernel.bc"), path_join(temporary, "kernel.ptx"),
                        path_join(temporary, "kernel.cubin"), path_join(temporary, "kernel.fatbin")};
  bool done = read_blob_entry(&b, t, err);
  if (done) {
    t->environment = &b.steps.environment; /* the variables that the blob was compiled with */
    done = make(t, &b, &files, &facts, temporary, output, err);
    t->environment = NULL;
  }
  free(files.bitcode);
  free(files.ptx);
  free(files.cubin);
  free(files.fatbin);
  nvvm_facts_free(&facts);
  blob_entry_free(&b);
  return done;
}
