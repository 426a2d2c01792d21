/* ck_jit_lookup.h - loads wanted entries from the read-only directory, the cache, or an unlinked
 * file.
 *
 * Thread-safe; loading may wait for the dynamic linker's lock.
 */
#ifndef CK_JIT_LOOKUP_H
#define CK_JIT_LOOKUP_H

#include "ck_jit_wanted.h"

/* Load the entry of W, and put that of a blob into the in-process table. NULL with ERROR empty if
 * there is no entry, or with the reason. */
CKJIT_LOCAL void *ckjit_load_entry(const struct ckjit_wanted *w, struct ckjit_text *error);
/* The code of W, a kernel or a lazy unit: its fat binary, mapped for good. NULL with ERROR empty if
 * there is no entry, or with the reason. *EMPTY: the kernel cannot be compiled alone. */
CKJIT_LOCAL const void *ckjit_load_code(const struct ckjit_wanted *w, bool *empty,
                                        struct ckjit_text *error);
/* Whether the cache has an entry of W, which another process may have stored since this thread
 * looked; without a cache, whether it is loaded. */
CKJIT_LOCAL bool ckjit_has_entry(const struct ckjit_wanted *w);
/* Whether the read-only directory has an entry of W. */
CKJIT_LOCAL bool ckjit_has_readonly_entry(const struct ckjit_wanted *w);
/* Whether a process holds the lock of a compile of W. */
CKJIT_LOCAL bool ckjit_is_locked(const struct ckjit_wanted *w);

#endif
