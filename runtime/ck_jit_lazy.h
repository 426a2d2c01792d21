/* ck_jit_lazy.h - the device code of a lazy unit: one kernel or all.
 *
 * A lazy unit is a row of the embedded tables without functions, after those of the blobs. Its
 * source is the text of its device side. Each of its kernels has its own entry, which is found and
 * compiled like a blob, with the same look-up, flights, locks and messages. The other side, which
 * registers the code with the GPU's runtime, is ck_jit_hip_kernels.c or ck_jit_cuda_units.c.
 */
#ifndef CK_JIT_LAZY_H
#define CK_JIT_LAZY_H

#include "ck_jit_text.h"

/* The fat binary of KERNEL, by its mangled name, of the unit with KEY (CKJIT_UNIT_KEY_HEX digits),
 * or of all its kernels and variables if KERNEL is "*". *ALL is set if the caller must request all
 * instead: the kernel shares variables with others, or the whole unit exists already. NULL if there
 * is no code; the reason was printed, unless *SAID, an atomic flag that is set then. With
 * CK_JIT_ON_ERROR=abort the process ends. Thread-safe; a compile takes minutes. A kernel that is
 * requested by tags is called KERNEL+TAG+TAG… and never comes with others. */
CKJIT_LOCAL const void *ckjit_lazy_code(const char *key, const char *kernel, int *all, int *said);
/* The same, but the reason goes to WHY. */
CKJIT_LOCAL const void *ckjit_lazy_try(const char *key, const char *kernel, int *all,
                                       struct ckjit_text *why);
/* Map all kernels of the unit ROW, compiling them if the cache lacks them. False, and the reason in
 * WHY, also if ROW is not a unit. */
CKJIT_LOCAL bool ckjit_lazy_load(uint32_t row, struct ckjit_text *why);
/* KERNEL of the unit with KEY is launched; *OF as for ckjit_capture_launch. False: launches are not
 * counted. */
CKJIT_LOCAL bool ckjit_lazy_count(const char *key, const char *kernel, void **of);

#endif
