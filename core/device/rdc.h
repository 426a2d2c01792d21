/* rdc.h - the device side of an object compiled with -fgpu-rdc: which device symbols it defines and
 * needs.
 *
 * Such an object is a host object with LLVM bitcode for each architecture: in sections
 * `__CLANG_OFFLOAD_BUNDLE__hip…` (clang-offload-bundler), or in a section `.llvm.offloading`
 * (--offload-new-driver, clang 23's default). The bitcode contains a symbol table for linkers,
 * which is read here: no other LLVM tool needs to be installed, and nothing has to be unpacked.
 * Sources: clang/docs/ClangOffloadBundler.rst, llvm/docs/BitCodeFormat.rst,
 * LLVM's irsymtab and OffloadBinary.
 *
 * It never reads outside the given bytes, whatever the input. For code that it does not understand
 * it returns RDC_UNKNOWN, and the caller then leaves the choice to the linker. Thread safety: no
 * shared state.
 */
#ifndef CKJIT_RDC_H
#define CKJIT_RDC_H

#include "core/cc/ccargs.h"

struct rdc_symbol {
  const char *name; /* mangled; valid during the call */
  bool defined;
  /* may also be defined elsewhere, or may stay undefined */
  bool weak;
  bool global; /* visible to other objects */
  /* for a definition: a function, not a variable */
  bool function;
};

typedef void rdc_each(const struct rdc_symbol *s, void *user);

enum rdc_state {
  RDC_NONE,    /* no device code, or not an object file */
  RDC_READ,    /* it was read completely */
  RDC_UNKNOWN, /* has device code that is not understood */
};

/* Call EACH for the symbols of all architectures in the N bytes of an object file; a symbol of
 * several architectures is reported for each. */
enum rdc_state rdc_symbols(const void *bytes, size_t n, rdc_each *each, void *user);

/* The same for LLVM bitcode; false if it is not understood. */
bool bitcode_symbols(const void *bytes, size_t n, rdc_each *each, void *user);

/* Does a function in the object of N BYTES call others by their addresses (nvvm_graph_calls)? */
bool rdc_calls_by_address(const void *bytes, size_t n);
/* In the object of N BYTES: nvvm_drop_lists for each architecture. */
void rdc_drop_lists(void *bytes, size_t n);

/* Does A compile with -fgpu-rdc in the supported form, in which the driver puts bitcode into the
 * object? */
bool rdc_is_asked(const struct ccargs *a);

#endif
