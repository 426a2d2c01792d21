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
#include "abi/ck_jit_code.h"
#include "core/device/fatbinary.h"
#include "core/device/nvvmgraph.h"
#include "front.h"
#include "compile/codeentry.h"
#include "core/base/path.h"

#include <ctype.h>
#include <unistd.h>

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
static bool cut_out(const struct compile_task *t, struct front *f, const char *file, struct nvvm_facts *facts,
                    char **err) {
  static const char remedy[] =
      "set CK_JIT_PER_KERNEL=0 and remove the entry: ckjit then compiles the whole blob";
  static const char other_name[] =
      "its host code and its device code call a kernel differently; build it with `front: build` in the "
      "profile, which compares them, or with CK_JIT_UNITS=0";
  const char *why;
  if (!nvvm_keep(f->bitcode, f->len, task_is_whole(t) ? NULL : t->kernel, f->steps.host_writes, facts, &why))
    return task_fail(t, err, "the bitcode in %s: %s; %s", f->file, why, remedy);
  if (!task_is_whole(t) && !facts->found)
    return task_fail(t, err, "the bitcode in %s: there is no kernel %s; %s", f->file, t->kernel,
                     !t->of_entry ? other_name : remedy);
  return task_write(t, file, f->bitcode, f->len, err);
}

/* Does PTX use a variable that another kernel or the host may write? */
static bool has_written(const struct front *f, const char *ptx) {
  struct nvvm_facts all = {0};
  const char *why;
  bool has = !nvvm_graph_facts(f->bitcode, f->len, f->steps.host_writes ? &f->steps.device_only : NULL, &all,
                               &why) ||
             uses_any(ptx, &all.variables);
  nvvm_facts_free(&all);
  return has;
}

/* Whether the kernel must be in one module with others. */
static bool is_shared(const struct compile_task *t, const struct front *f, const char *ptx,
                      const struct nvvm_facts *facts) {
  size_t len;
  autofree char *text = task_is_whole(t) ? NULL : file_read(ptx, &len);
  bool shared = text && uses_any(text, &facts->variables) && has_written(f, text);
  if (shared && t->verbose)
    note("%s: it uses variables that others may write: compiling them together", t->stem);
  return shared;
}

/* The entry in OUTPUT, of the code in the file CUBIN. fatbinary runs only where its words ask for
 * more than a head before the code. */
static bool wrap(const struct compile_task *t, struct front *f, const char *cubin, const char *temporary,
                 const char *output, char **err) {
  autofree_buf fat = {0};
  struct code_section section = {.name = CKJIT_CODE_CUDA, .align = CKJIT_CODE_ALIGN};
  autofree char *file = path_join(temporary, "kernel.fatbin");
  size_t len;
  autofree char *code = file_read(cubin, &len);
  bool done = code || task_fail(t, err, "cannot read %s: %s", cubin, strerror(errno));
  if (done && fatbinary_write(&fat, &f->steps.fatbinary, code, len)) {
    section.bytes = fat.data;
    section.len = fat.len;
  } else if (done) {
    argv_addf(&f->steps.fatbinary, "--create=%s", file);
    section.file = file;
    done = front_run(t, f, &f->steps.fatbinary, cubin, file, temporary, "fatbinary", err);
  }
  done = done && codeentry_write(t, output, &section, 1, err);
  return done;
}

/* the files on the way from the entry of the blob to that of the kernel */
struct files {
  char *bitcode, *ptx, *cubin;
};

static bool make(const struct compile_task *t, struct front *f, const struct files *files,
                 struct nvvm_facts *facts, const char *temporary, const char *output, char **err) {
  if (!front_check_tools(f, t, err) || !cut_out(t, f, files->bitcode, facts, err) ||
      !front_run(t, f, &f->steps.cicc, files->bitcode, files->ptx, temporary, "cicc", err))
    return false;
  if (!t->export.format && is_shared(t, f, files->ptx, facts)) /* what is exported has variables of its own */
    return codeentry_of_fatbin(t, output, CKJIT_CODE_CUDA, NULL, err);
  return front_run(t, f, &f->steps.ptxas, files->ptx, files->cubin, temporary, "ptxas", err) &&
         wrap(t, f, files->cubin, temporary, output, err);
}

bool cuda_kernel_make(struct compile_task *t, const char *entry, const char *temporary, const char *output,
                      char **err) {
  struct front f = {.file = entry};
  struct nvvm_facts facts = {0};
  struct files files = {path_join(temporary, "kernel.bc"), path_join(temporary, "kernel.ptx"),
                        path_join(temporary, "kernel.cubin")};
  bool done = front_read(&f, t, err);
  if (done) {
    t->environment = &f.steps.environment; /* the variables that the blob was compiled with */
    done = make(t, &f, &files, &facts, temporary, output, err);
    t->environment = NULL;
  }
  free(files.bitcode);
  free(files.ptx);
  free(files.cubin);
  nvvm_facts_free(&facts);
  front_free(&f);
  return done;
}
