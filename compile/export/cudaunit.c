/* cudaunit.c - exports a lazy unit of CUDA: the PTX and the cubin that its kernel's first launch
 * would make (compile/unit/cuda.h).
 *
 * They are for one GPU: for several GPUs at once, and for PTX that the driver compiles, a unit is
 * not taken apart. A kernel that shares variables with others becomes a separate module here, with
 * its own variables. A kernel under another name goes from its PTX through nvcc, as a blob's kernel
 * does (cuda.c).
 */
#include "way.h"
#include "compile/unit/unit.h"
#include "core/base/path.h"

static bool can_be(const struct compile_task *t, char **err) {
  if (t->export.format != EXPORT_CODE_OBJECT && t->export.format != EXPORT_ASM)
    return task_fail(t, err, "it is an ordinary unit of CUDA; expected --format code-object or asm");
  if (!str_starts(t->archs, "sm_") || strchr(t->archs, ';'))
    return task_fail(t, err,
                     "it is an ordinary unit of CUDA; expected one architecture as --arch sm_90, not %s",
                     *t->archs ? t->archs : "none");
  return true;
}

/* From what the launch's compile has left in the temporary directory. */
static bool take(struct export *x, const char *file, char **err) {
  bool is_ptx = x->t->export.format == EXPORT_ASM;
  autofree char *ptx = path_join(x->temporary, "kernel.ptx"),
                *cubin = path_join(x->temporary, "kernel.cubin"), *named = export_new_file(x, ".ptx");
  bool done = true;
  if (x->t->export.symbols->n)
    done = export_cuda_rename(x, ptx, is_ptx ? file : named, err) &&
           (is_ptx || export_compile_file(x, named, EXPORT_CODE_OBJECT, x->t->archs, file, err));
  else if (rename(is_ptx ? ptx : cubin, file) != 0)
    done = task_fail(x->t, err, "cannot make %s: %s", file, strerror(errno));
  return done;
}

bool export_cuda_unit(struct compile_task *t, const char *temporary, const char *file, char **err) {
  struct export x = {.t = t, .parts = t->export.parts, .temporary = temporary, .way = &export_cuda};
  autofree char *entry = path_join(temporary, "unit.so");
  return can_be(t, err) && (t->export.probe || (unit_make(t, temporary, entry, err) && take(&x, file, err) &&
                                                export_cuda_check(&x, file, t->archs, err)));
}
