/* nvvm.h - the bitcode of nvcc's device front end: one kernel of it, the others dropped.
 *
 * `cicc -lgenfe` ends behind the front end and writes LLVM bitcode, of which `cicc -libnvvm` makes the PTX that
 * the plain cicc would. All kernels of a unit are in it. If the linkage of a kernel is made internal and nobody
 * calls it, the optimiser removes it before it costs anything. The linkage is one field of the function's
 * record. A value below 32 takes six bits whatever it is, so it is overwritten in place, and nothing else of the
 * file changes. Variables that another kernel may write become linkonce: they are dropped if this kernel does
 * not use them, and read if it does.
 *
 * Sources: llvm.org/docs/BitCodeFormat.html; LLVM 7's BitcodeReader.cpp for the fields of
 * MODULE_CODE_FUNCTION and MODULE_CODE_GLOBALVAR.
 *
 * No input makes it read or write outside of its bytes. Thread safety: no shared state.
 */
#ifndef CKJIT_NVVM_H
#define CKJIT_NVVM_H

#include "core/base/argv.h"

struct nvvm_facts {
  size_t functions; /* that are defined and seen from outside: the kernels that are not static, and KERNEL */
  /* that a kernel may write and another read: neither constant nor a kernel's own; argv_free it */
  struct argv variables;
  size_t internal_variables; /* of them, the first: those that no other unit can name */
  struct argv fixed;   /* that others may define as well, and nobody writes (nvvmgraph.h); argv_free it */
  struct argv dynamic; /* `extern __shared__`: the launch says how much, no unit defines it; argv_free it */
  bool found;          /* the kernel asked for is among the functions */
};

void nvvm_facts_free(struct nvvm_facts *f);

/* In the N bytes of a module: make all functions but KERNEL (mangled) internal, that one external, and say what
 * there is. With KERNEL NULL nothing is changed. CONSTANTS: the host may write __constant__ variables, which are then among
 * the variables. False with *WHY, static: the module is not understood; its bytes
 * may then be changed in part. */
bool nvvm_keep(void *bytes, size_t n, const char *kernel, bool constants, struct nvvm_facts *facts,
               const char **why);

/* Append to NAMES, sorted, the functions that the module of N bytes defines. False with *WHY, as above. */
bool nvvm_functions(void *bytes, size_t n, struct argv *names, const char **why);

#endif
