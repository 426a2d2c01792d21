/* ck_jit_manifest.h - the tables of this library: its blobs, their functions and groups, and what
 * this process knows of them.
 *
 * The post-build linker writes them for each library, as an object, without a compiler
 * (postbuild/embed.c, docs/formats.md); ck_jit_abi.h has the rows. The compiler does not see them,
 * so the runtime's object is the same for all libraries but for two macros:
 *
 *     CKJIT_CUDA   1: the library's compiler is CUDA's; 0: it is HIP's
 *     CKJIT_LAZY   1: it has lazy units, and is linked with --wrap for what their host code calls;
 *                  ck_jit_unit_calls.h, which the linker writes, has these calls
 *
 * All but the states is read-only, so thread-safe.
 */
#ifndef CK_JIT_MANIFEST_H
#define CK_JIT_MANIFEST_H

#include "ck_jit_abi.h"

#include <stdbool.h>
#include <string.h>

#ifndef CKJIT_CUDA
#define CKJIT_CUDA 0
#endif
#ifndef CKJIT_LAZY
#define CKJIT_LAZY 0
#endif

#pragma GCC visibility push(hidden)
extern const struct ckjit_facts ckjit_facts __asm__(CKJIT_FACTS);
extern const char ckjit_strings[];
extern const struct ckjit_group ckjit_groups[];
extern const struct ckjit_blob ckjit_blobs[];
extern const struct ckjit_function ckjit_functions[];
/* Unit U has the functions from ckjit_unit_first[U] to before ckjit_unit_first[U + 1]. */
extern const uint32_t ckjit_unit_first[];
extern const struct ckjit_combination ckjit_combinations[];
extern const uint32_t ckjit_linked[]; /* blobs that are compiled into the library; sorted */
extern const struct ckjit_linked_unit ckjit_linked_units[];
extern const char ckjit_inputs[]; /* the lists of inputs */
extern const char ckjit_bundle[], ckjit_bundle_end[];
/* Names of the build; empty: there is none (CKJIT_BUILD_SECTION). */
extern const char ckjit_build_root[], ckjit_build_compile[], ckjit_build_inputs[];

extern struct ckjit_blob_state ckjit_blob_states[]; /* by blob */
extern void **ckjit_slots_of_unit[];   /* as its stubs report them; guarded by the mutex */
extern void *ckjit_captured_address[]; /* of the functions called so far; atomic */
#pragma GCC visibility pop

/* The text at OFFSET. */
CKJIT_LOCAL const char *ckjit_string(uint32_t offset);
CKJIT_LOCAL const struct ckjit_group *ckjit_group_of(uint32_t blob);
/* Is the row BLOB a lazy unit (ck_jit_lazy.h)? */
static inline bool ckjit_is_lazy_unit(uint32_t blob) {
  return CKJIT_LAZY && blob + ckjit_facts.lazy_units >= ckjit_facts.blobs;
}
/* Is the row BLOB a unit whose host side is made at its first call (docs/units.md, "Late units")?
 */
static inline bool ckjit_is_late_unit(uint32_t blob) {
  return blob + ckjit_facts.lazy_units + ckjit_facts.late_units >= ckjit_facts.blobs &&
         !ckjit_is_lazy_unit(blob);
}
/* May the kernels of the blob in row BLOB have separate entries: those of CUDA, and of a late
 * unit? */
static inline bool ckjit_comes_apart(uint32_t blob) {
  return (CKJIT_CUDA && !ckjit_is_lazy_unit(blob)) || ckjit_is_late_unit(blob);
}
/* The stem of BLOB, *N bytes, not terminated. */
CKJIT_LOCAL const char *ckjit_stem_of(uint32_t blob, size_t *n);

#endif
