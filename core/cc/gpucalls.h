/* gpucalls.h - the calls of the GPU runtimes that matter to a kernel whose code comes late.
 *
 * Host code registers its kernels and variables when it is loaded, and later passes their addresses to the runtime. If their code comes
 * late, both kinds of call must reach ckjit's registry (runtime/ck_jit_registry.h): the linker's --wrap sends them there. Some calls
 * cannot be answered late. This table is the only one that says which call is which.
 *
 * Thread safety: constants only.
 */
#ifndef CKJIT_GPUCALLS_H
#define CKJIT_GPUCALLS_H

#include "compiler.h"

enum call_is {
  CALL_OTHER,     /* no concern of the registry; the name is the beginning of some */
  CALL_REGISTERS, /* the registry has it in each library with late kernels */
  CALL_REFUSED,   /* no kernel can be late in host code that calls it; the name is the beginning of some */
  /* These take an address in register ARG, counted from 0. Those above CALL_TAKES are the macros of runtime/ck_jit_registry.h with such
   * names. */
  CALL_TAKES,          /* a kernel's */
  CALL_TAKES_VARIABLE, /* a variable's, or either */
  CALL_TAKES_PARAMS,   /* of a structure, hipKernelNodeParams, which has a kernel's */
  CALL_TAKES_NODE,     /* of a structure, hipGraphNodeParams, which has such a one */
  /* These need no ARG. */
  CALL_ADDS_NODE,    /* likewise; which argument that is depends on the release */
  CALL_TAKES_LIST,   /* a list of hipLaunchParams, and their number */
  CALL_GETS_HANDLE,  /* the handle for a kernel's address */
  CALL_TAKES_HANDLE, /* such a handle */
};

struct gpu_call {
  const char *name;
  enum gpu_runtime runtime;
  enum call_is is;
  int arg;
};

enum { CALLS_MAX = 128 }; /* at least gpu_calls_n */
extern const struct gpu_call gpu_calls[];
extern const size_t gpu_calls_n;

/* The section of an object with the names of CUDA's kernels, one behind the other, if ckjit has written what
 * registers them (core/device/hoststub.h). Of others it is in the text alone. */
#define REGISTERED_NAMES ".rodata.ckjit_names"

/* The row of the undefined symbol NAME; NULL if no row concerns it. A name that begins like that of a row but has none, such as
 * cudaLaunchKernelExC_v2, belongs to a later release: that is a row with CALL_REFUSED. */
const struct gpu_call *calls_find(const char *name);
/* Append the line that the runtime's source has for C, CALL_TAKES or above. */
void calls_put(struct buf *out, const struct gpu_call *c);
/* A call of the object FILE because of which none of its kernels can be late; NULL: there is none. free() it. */
char *calls_obstacle(const char *file);

#endif
