/* ck_jit_manifest.h - the tables of this library: its blobs, their functions and groups.
 *
 * ck_jit_manifest_embedded.h, which the post-build linker writes for each library, declares them and defines
 * the names and paths that are baked in (docs/formats.md); ck_jit_abi.h has the rows. Read-only, so
 * thread-safe.
 */
#ifndef CK_JIT_MANIFEST_H
#define CK_JIT_MANIFEST_H

#include "ck_jit_abi.h"
#include "ck_jit_manifest_embedded.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(CKJIT_FORMAT == CKJIT_ABI_FORMAT,
               "ck_jit_manifest_embedded.h was written by another version of ckjit than this runtime");

#ifndef CKJIT_COMPILER_KIND /* core/cc/compiler.h */
#define CKJIT_COMPILER_KIND "hip"
#define CKJIT_COMPILER_VARIABLE "CK_JIT_HIPCC"
#endif

#ifndef CKJIT_LAZY_UNITS /* how many of the rows of ckjit_blobs, the last, are lazy units */
#define CKJIT_LAZY_UNITS 0
#endif
#ifndef CKJIT_LAZY_CUDA /* they are of CUDA */
#define CKJIT_LAZY_CUDA 0
#endif

/* a macro, so that a compiler leaves what is only of CUDA out of a library of HIP */
#define CKJIT_IS_CUDA (strcmp(CKJIT_COMPILER_KIND, "cuda") == 0)

/* the text at OFFSET */
CKJIT_LOCAL const char *ckjit_string(uint32_t offset);
CKJIT_LOCAL const struct ckjit_group *ckjit_group_of(uint32_t blob);
/* Is the row BLOB a lazy unit (ck_jit_lazy.h)? */
static inline bool ckjit_is_lazy_unit(uint32_t blob) {
  return CKJIT_LAZY_UNITS && blob + CKJIT_LAZY_UNITS >= CKJIT_BLOBS;
}
/* The stem of BLOB, *N bytes, not terminated. */
CKJIT_LOCAL const char *ckjit_stem_of(uint32_t blob, size_t *n);

#endif
