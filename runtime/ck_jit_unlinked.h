/* ck_jit_unlinked.h - compiled blobs in files that have no name.
 *
 * With CK_JIT_DISABLE_FILE_CACHING=1 no cache directory is read or written. ckjit-compile writes
 * into a file of this process that has no name, so that nothing remains however the process ends;
 * the file exists for this process only. A fresh handle, which no cache knows, is made in the same
 * way (ck_jit_ops.c).
 *
 * The file is a memfd, or an unlinked one on a disk if the system has none; loading needs /proc. A
 * directory that must not hold code (noexec) is detected before the compile, not after it.
 *
 * The dynamic linker takes two loads of one name for one object, and /proc/self/fd/7 is another
 * file each time: so the name is spelled in a way that no other file has while this one is mapped
 * (ckjit_load).
 *
 * An entry on a network file system is loaded from such a file, too. It has no name for debuggers
 * then, but /proc/PID/maps shows its stem.
 *
 * Thread-safe. Descriptors are closed on exec.
 */
#ifndef CK_JIT_UNLINKED_H
#define CK_JIT_UNLINKED_H

#include "ck_jit_text.h"

/* An empty file for the code of STEM (N bytes); -1 and the reason in ERROR. */
CKJIT_LOCAL int ckjit_unlinked_open(const char *stem, size_t n, struct ckjit_text *error);
/* Whether FD has a complete entry of build id WANT. From now on nobody can change it. */
CKJIT_LOCAL bool ckjit_unlinked_is(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE]);
/* A sealed copy of FD's SIZE bytes, for the code of STEM (N bytes). -1 with errno, and a reason in
 * WHY if there is no place for it. */
CKJIT_LOCAL int ckjit_unlinked_copy(int fd, uint64_t size, const char *stem, size_t n,
                                    struct ckjit_text *why);
/* FD, the file of SIZE bytes called PATH; or, if that is on a network file system, where it can
 * vanish under a mapping, a sealed copy in memory, read once. Closes FD in that case, and on
 * failure: -1 with errno. */
CKJIT_LOCAL int ckjit_unlinked_settle(int fd, uint64_t size, const char *path);
/* Has FD's file no name? */
CKJIT_LOCAL bool ckjit_unlinked_at(int fd);
/* Load FD, which has build id WANT. NULL and the reason in ERROR. FD can be closed afterwards. */
CKJIT_LOCAL void *ckjit_unlinked_load(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                                      struct ckjit_text *error);

#endif
