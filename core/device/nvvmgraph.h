/* nvvmgraph.h - the bitcode of nvcc's device front end: the names that each function uses, by its
 * body.
 *
 *     kernel ── distance_of<euclidean>, which another unit defines
 *         └──── helper ── table[], whose initial value names f
 *
 * A linker's symbols are those of a whole unit. A kernel that is linked alone needs the symbols
 * that it reaches, and nothing else.
 *
 * Instructions have their operands as distances in a numbering of all values, so the reader has to
 * know whether each instruction makes a value. A direct call contains the type of its callee, which
 * must match; if one does not, the numbering is not understood, and the whole result is discarded.
 *
 * Sources: llvm.org/docs/BitCodeFormat.html; the BitcodeReader.cpp of LLVM 7, in whose form CUDA 13
 * writes for sm_90, and of 20, for sm_120.
 *
 * It never reads outside its bytes, whatever the input. Thread safety: no shared state.
 */
#ifndef CKJIT_NVVMGRAPH_H
#define CKJIT_NVVMGRAPH_H

#include "nvvm.h"

/* How a node is reached: from functions, or from those and variables that stay in a link with them.
 * NVVM_WRITTEN: a function may write the variable, or its address goes where it is not followed. */
enum nvvm_mark { NVVM_USED = 1, NVVM_LINKED = 2, NVVM_WRITTEN = 4 };

struct nvvm_node {
  enum { NVVM_CONSTANT, NVVM_VARIABLE, NVVM_FUNCTION, NVVM_ALIAS } what;
  char *name;          /* of a global */
  bool defined, fixed; /* fixed: a constant */
  bool calls;          /* of a function: it calls another by its address */
  unsigned marks;
  /* of a constant: it is an address inside its first reference */
  bool leads;
  uint64_t offset, size; /* of the name in the string table */
  uint64_t type;         /* of a function */
  /* the numbers of the values that it names */
  uint32_t *refs;
  size_t nrefs;
};

struct nvvm_graph {
  /* functions, variables and aliases, followed by constants */
  struct nvvm_node *nodes;
  size_t n, globals;
};

/* Read the N bytes of a module. False with *WHY, static: it is not understood. Call nvvm_graph_free
 * in either case. */
bool nvvm_graph_read(struct nvvm_graph *g, const void *bytes, size_t n, const char **why);
/* Mark the nodes that the function or variable NAME (mangled) reaches, and those that the module's
 * variables name. Append those that are not defined here, and were not marked before, to NEEDS.
 * False: there is no such name. */
bool nvvm_graph_reach(struct nvvm_graph *g, const char *name, struct argv *needs);
/* Does a function reach a nameless variable that is writable and defined here? Call it before any
 * marks are made. */
bool nvvm_graph_uses_unnamed(struct nvvm_graph *g);
void nvvm_graph_free(struct nvvm_graph *g);

/* Is the variable NAME marked, not counting marks through variables alone? */
bool nvvm_graph_uses(const struct nvvm_graph *g, const char *name);

/* Append to NAMES the functions of the module that reach an undefined one for which IS is true.
 * False: a variable or an alias reaches one, too. */
bool nvvm_graph_leading(const struct nvvm_graph *g, bool (*is)(const char *name),
                        struct argv *names);

/* Does a function that is marked, or with ALL any, call another by its address? Such a kernel needs
 * registers for whatever function another kernel has taken the address of. True also if the bodies
 * are not understood. */
bool nvvm_graph_calls(const struct nvvm_graph *g, bool all);

/* Is the variable NAME (mangled) one that the host does not name? DEVICE_ONLY: those variables, by
 * their names in the source; NULL: none. */
bool nvvm_graph_is_device_only(const char *name, const struct argv *device_only);

/* The facts of nvvm_keep for the N bytes of a module, with KERNEL NULL and CONSTANTS. Nameless
 * variables count only if a function reaches one: host code leaves some in the device's text,
 * temporaries at namespace scope; raft's headers have one, in cuVS's units. Variables that no
 * function writes and that are in DEVICE_ONLY, those that the host does not name (NULL: none), are
 * fixed instead: each kernel may have its own copy. If the bodies are not understood, all stay. */
bool nvvm_graph_facts(void *bytes, size_t n, const struct argv *device_only,
                      struct nvvm_facts *facts, const char **why);

#endif
