/* nvvm.h - the bitcode of a device front end, nvcc's or clang's: selects one kernel and drops the
 * others.
 *
 * `cicc -lgenfe` ends after the front end and writes LLVM bitcode, from which `cicc -libnvvm` makes
 * the same PTX as the plain cicc. It has all kernels of a unit. If the linkage of a kernel is
 * internal and nobody calls it, the optimiser removes it before it costs anything. The linkage is
 * one field of the function's record. A value below 32 always takes six bits, so it is overwritten
 * in place, and nothing else in the file changes. Variables that another kernel may write become
 * linkonce: they are dropped if this kernel does not use them, and read if it does.
 *
 * Sources: llvm.org/docs/BitCodeFormat.html; LLVM 7's BitcodeReader.cpp for the fields of
 * MODULE_CODE_FUNCTION and MODULE_CODE_GLOBALVAR.
 *
 * It never reads or writes outside its bytes, whatever the input. Thread safety: no shared state.
 */
#ifndef CKJIT_NVVM_H
#define CKJIT_NVVM_H

#include "core/base/argv.h"

struct nvvm_facts {
  /* number of functions that are defined and visible from outside: the kernels that are not static,
   * and KERNEL */
  size_t functions;
  /* Variables that a kernel may write and another read: neither constant nor a kernel's own;
   * argv_free it. */
  struct argv variables;
  /* the first of them: those that no other unit can name */
  size_t internal_variables;
  /* those that others may define as well, and nobody writes (nvvmgraph.h); argv_free it */
  struct argv fixed;
  /* `extern __shared__`: the launch gives the size, no unit defines it; argv_free it */
  struct argv dynamic;
  bool found; /* KERNEL is among the functions */
};

/* Is the variable NAME clang's own, a mark of the unit or a list of what it keeps? Nothing reads or
 * writes it. */
bool nvvm_is_compilers(const char *name);

void nvvm_facts_free(struct nvvm_facts *f);

/* In the N bytes of a module: make all functions but KERNEL (mangled) internal, and that one
 * external, and return the facts. With KERNEL NULL nothing is changed. CONSTANTS: the host may
 * write __constant__ variables, which are then among the variables. False with *WHY, static: the
 * module is not understood; its bytes may then be changed in part. */
bool nvvm_keep(void *bytes, size_t n, const char *kernel, bool constants, struct nvvm_facts *facts,
               const char **why);

/* In the N bytes of a module, of clang for HIP: make all functions but KERNEL (mangled) internal.
 * Variables stay as they are. False with *WHY, as above, also if it defines no such function that
 * is visible from outside. */
bool nvvm_keep_function(void *bytes, size_t n, const char *kernel, const char **why);

/* In the N bytes of a module, of clang: make the lists of what stays without a use (llvm.used) ones
 * that nobody needs. With -fgpu-rdc clang has each kernel of a template in one that host code
 * launches, so a link of one kernel would have the code of all. A module that has no kernels, or is
 * not understood, stays. */
void nvvm_drop_lists(void *bytes, size_t n);

/* Append to NAMES, sorted, the functions that the module of N bytes defines. False with *WHY, as
 * above. */
bool nvvm_functions(void *bytes, size_t n, struct argv *names, const char **why);

#endif
