/* rdc.h - the device side of an object that was compiled with -fgpu-rdc: which device symbols it defines, and
 * which it needs.
 *
 * Such an object is the host's, with a section `__CLANG_OFFLOAD_BUNDLE__hip…` for each architecture that
 * holds LLVM bitcode (clang-offload-bundler). The bitcode has a symbol table of its own, made for linkers,
 * which is read here: no other tool of LLVM needs to be installed, and nothing has to be unpacked. Sources:
 * clang/docs/ClangOffloadBundler.rst, llvm/docs/BitCodeFormat.rst, llvm/include/llvm/Object/IRSymtab.h.
 *
 * No input makes it read outside of its bytes. What is not understood is said so, and the caller then leaves
 * the choice to the linker. Thread safety: no shared state.
 */
#ifndef CKJIT_RDC_H
#define CKJIT_RDC_H

#include "core/cc/ccargs.h"

struct rdc_symbol {
  const char *name; /* mangled; valid during the call */
  bool defined;
  bool weak;     /* may be defined elsewhere as well, or need not be defined */
  bool global;   /* seen by other objects */
  bool function; /* of a definition: a function, not a variable */
};

typedef void rdc_each(const struct rdc_symbol *s, void *user);

enum rdc_state {
  RDC_NONE,    /* no device code in it, or no object file */
  RDC_READ,    /* all of it was read */
  RDC_UNKNOWN, /* there is device code in it that is not understood */
};

/* The symbols of all architectures in the N bytes of an object file; one that is in several is said again. */
enum rdc_state rdc_symbols(const void *bytes, size_t n, rdc_each *each, void *user);

/* the same of LLVM bitcode; false if it is not understood */
bool bitcode_symbols(const void *bytes, size_t n, rdc_each *each, void *user);

/* Does A compile with -fgpu-rdc, in the form that is understood: the driver bundles bitcode into the object? */
bool rdc_is_asked(const struct ccargs *a);

#endif
