/* nvvmgraph.h - the bitcode of nvcc's device front end: what each of its functions names, by their bodies.
 *
 *     kernel ── distance_of<euclidean>, which another unit defines
 *         └──── helper ── table[], whose initial value names f
 *
 * A linker's symbols are those of a whole unit. A kernel that is linked alone needs what it reaches, and nothing else.
 *
 * Instructions have their operands as distances in a numbering of all values, so the reader has to know of each whether it makes a value. A direct call
 * has to name a function of the type that it says itself; if one does not, the numbering is not understood, and nothing of it is believed.
 *
 * Sources: llvm.org/docs/BitCodeFormat.html; the BitcodeReader.cpp of LLVM 7, in whose
 * form CUDA 13 writes for sm_90, and of 20, for sm_120.
 *
 * No input makes it read outside of its bytes. Thread safety: no shared state.
 */
#ifndef CKJIT_NVVMGRAPH_H
#define CKJIT_NVVMGRAPH_H

#include "nvvm.h"

struct nvvm_node;

struct nvvm_graph {
  struct nvvm_node *nodes; /* functions, variables and aliases, and constants behind them */
  size_t n, globals;
};

/* Read the N bytes of a module. False with *WHY, static: it is not understood. nvvm_graph_free in either case. */
bool nvvm_graph_read(struct nvvm_graph *g, const void *bytes, size_t n, const char **why);
/* Mark what the function or variable NAME (mangled) reaches, and what the module's variables name, and append to NEEDS what of it is not defined here, unless a mark was there before. False: there is no
 * such name. */
bool nvvm_graph_reach(struct nvvm_graph *g, const char *name, struct argv *needs);
/* Does a function reach a variable that may be written, is defined here and has no name? No marks may have been made. */
bool nvvm_graph_uses_unnamed(struct nvvm_graph *g);
void nvvm_graph_free(struct nvvm_graph *g);

/* Does what was marked, but for what variables alone name, use the variable NAME? */
bool nvvm_graph_uses(const struct nvvm_graph *g, const char *name);

/* Is the variable NAME (mangled) one that the host does not name? DEVICE_ONLY: those, as their
 * source says them; NULL: it names none. */
bool nvvm_graph_is_device_only(const char *name, const struct argv *device_only);

/* What nvvm_keep says of the N bytes of a module, with KERNEL NULL and CONSTANTS. Of variables
 * without a name only if a function reaches one: host code leaves some in the device's text,
 * temporaries of namespace scope; raft's headers have one, in cuVS's units. Those that no
 * function writes, and that are among DEVICE_ONLY, which the host does not name (NULL: it names
 * none), are fixed instead: each kernel may have its own copy. If the bodies are not understood,
 * all stay. */
bool nvvm_graph_facts(void *bytes, size_t n, const struct argv *device_only, struct nvvm_facts *facts,
                      const char **why);

#endif
