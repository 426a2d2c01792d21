/* ck_jit_lazy.h - the device code of a lazy unit, or of a CUDA blob whose kernels are compiled one
 * by one: one kernel of it, or all.
 *
 * A lazy unit is a row of the embedded tables without functions, after the rows of the blobs. Its
 * source is the text of its device side, and each of its kernels is a separate entry, found and
 * compiled like a blob, with the same look-up, flights, locks and messages. ck_jit_hip_kernels.c or
 * ck_jit_cuda_kernels.c registers the code with the runtime of the GPU.
 *
 * A CUDA blob is a unit whose host side is made late (compile/unit/late.h): it is the blob's entry,
 * without kernels. Before its first function is called, the entry gets the function that returns
 * the code of a kernel. ck_jit_cuda_kernels.c, linked into the entry, calls it and registers the
 * code.
 */
#ifndef CK_JIT_LAZY_H
#define CK_JIT_LAZY_H

#include "ck_jit_manifest.h"
#include "ck_jit_text.h"

struct ckjit_wanted;

/* Give the entry of HANDLE, loaded from PATH with W's build id, the function that finds its
 * kernels; an entry that does not ask for it has its kernels. Call it before anybody else can call
 * a function of the entry. False: no memory. */
CKJIT_LOCAL bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path);

#if CKJIT_LAZY
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
/* The name of the kernel NAME, N bytes, as host code has registered it for the unit ROW; NULL: the
 * unit has no such kernel. */
CKJIT_LOCAL const char *ckjit_lazy_name(uint32_t row, const char *name, size_t n);
/* KERNEL of the unit with KEY is launched; *OF as for ckjit_capture_launch. False: launches are not
 * counted. */
CKJIT_LOCAL bool ckjit_lazy_count(const char *key, const char *kernel, void **of);
#endif

#endif
