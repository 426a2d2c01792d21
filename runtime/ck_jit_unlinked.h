/* ck_jit_unlinked.h - compiled blobs in files that have no name.
 *
 * With CK_JIT_DISABLE_FILE_CACHING=1 no cache directory is read or written. ckjit-compile writes into a file
 * of this process that has no name, so that nothing of it is left however the process ends; it lives as long
 * as the process, and for it alone. An executor that no cache knows of is made in the same way
 * (ck_jit_ops.c).
 *
 * The file is a memfd, or an unlinked one on a disk if the system has none; loading needs /proc. A directory
 * that must not hold code (noexec) is seen before the compile, not after it.
 *
 * The dynamic linker takes two loads of one name for one object, and /proc/self/fd/7 is another file each
 * time: so the name is spelled in a way that no other file has as long as this one is mapped (ckjit_load).
 *
 * Thread-safe. Descriptors are closed on exec.
 */
#ifndef CK_JIT_UNLINKED_H
#define CK_JIT_UNLINKED_H

#include "ck_jit_text.h"

/* An empty file for the code of STEM (N bytes); -1 and why in ERROR. */
CKJIT_LOCAL int ckjit_unlinked_open(const char *stem, size_t n, struct ckjit_text *error);
/* Whether FD holds all of an entry of build id WANT. From here on nobody can change it. */
CKJIT_LOCAL bool ckjit_unlinked_is(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE]);
/* Load FD, which holds build id WANT. NULL and why in ERROR. FD can be closed afterwards. */
CKJIT_LOCAL void *ckjit_unlinked_load(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                                      struct ckjit_text *error);

#endif
