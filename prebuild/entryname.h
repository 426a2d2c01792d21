/* entryname.h - what the name of a file in a cache says of the entry that it may be (abi/ck_jit_entry.h). */
#ifndef CKJIT_PREBUILD_ENTRYNAME_H
#define CKJIT_PREBUILD_ENTRYNAME_H

#include <stdbool.h>
#include <stddef.h>

/* The stem in NAME, the name of a plain or keyed entry; *KEYED says which. NULL if it is neither. free() it. */
char *entry_stem(const char *name, bool *keyed);
/* The length of STEM without the kernel hash at its end (ck_jit_kernels.h); 0 if it has none. */
size_t entry_without_kernel(const char *stem);

#endif
