/* ck_jit_manifest.h - the tables of this library: its blobs, their functions and groups.
 *
 * ck_jit_manifest_embedded.h, which the post-build linker writes for each library, declares them
 * and defines the built-in names and paths (docs/formats.md); ck_jit_abi.h has the rows. Read-only,
 * so thread-safe.
 */
#ifndef CK_JIT_MANIFEST_H
#define CK_JIT_MANIFEST_H

#include "ck_jit_abi.h"
#include "ck_jit_manifest_embedded.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(
    CKJIT_FORMAT == CKJIT_ABI_FORMAT,
    "ck_jit_manifest_embedded.h was written by another version of ckjit than this runtime");

#ifndef CKJIT_COMPILER_KIND /* core/cc/compiler.h */
#define CKJIT_COMPILER_KIND "hip"
#define CKJIT_COMPILER_VARIABLE "CK_JIT_HIPCC"
#endif

#ifndef CKJIT_LAZY_UNITS /* the number of lazy units, the last rows of ckjit_blobs */
#define CKJIT_LAZY_UNITS 0
#endif
#ifndef CKJIT_LATE_UNITS /* the number of late units, the rows before the lazy units */
#define CKJIT_LATE_UNITS 0
#endif
#ifndef CKJIT_LAZY_CUDA /* they are CUDA units */
#define CKJIT_LAZY_CUDA 0
#endif

/* A macro, so that a compiler omits CUDA code from a HIP library. */
#define CKJIT_IS_CUDA (strcmp(CKJIT_COMPILER_KIND, "cuda") == 0)

/* The text at OFFSET. */
CKJIT_LOCAL const char *ckjit_string(uint32_t offset);
CKJIT_LOCAL const struct ckjit_group *ckjit_group_of(uint32_t blob);
/* Is the row BLOB a lazy unit (ck_jit_lazy.h)? */
static inline bool ckjit_is_lazy_unit(uint32_t blob) {
  return CKJIT_LAZY_UNITS && blob + CKJIT_LAZY_UNITS >= CKJIT_BLOBS;
}
/* May the kernels of the blob in row BLOB have separate entries: those of CUDA, and of a unit
 * whose host side is made at its first call (docs/units.md, "Late units")? */
static inline bool ckjit_comes_apart(uint32_t blob) {
  bool late = CKJIT_LATE_UNITS && blob + CKJIT_LAZY_UNITS + CKJIT_LATE_UNITS >= CKJIT_BLOBS;
  return (CKJIT_IS_CUDA || late) && !ckjit_is_lazy_unit(blob);
}
/* The stem of BLOB, *N bytes, not terminated. */
CKJIT_LOCAL const char *ckjit_stem_of(uint32_t blob, size_t *n);

#endif
