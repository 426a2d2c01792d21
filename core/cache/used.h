/* used.h - the record of use of a library: which of its kernels had to be compiled for calls
 * (abi/ck_jit_used.h).
 *
 * Thread safety: no shared state. Between processes: any number may append to, read and shorten a
 * record.
 */
#ifndef CKJIT_USED_RECORD_H
#define CKJIT_USED_RECORD_H

#include "core/base/argv.h"
#include "abi/ck_jit_used.h"

/* The file of LIBRARY, its base name, in the cache DIR; free() it. NULL: not a possible name of a
 * library. */
char *used_file(const char *dir, const char *library);
/* Record in the cache DIR that a call of LIBRARY waits for a compile of STEM, or of KERNEL of it
 * (NULL: the blob). False with *ERR: it cannot be written. */
bool used_record(const char *dir, const char *library, const char *stem, const char *kernel,
                 char **err);
/* Append the libraries with a record in the cache DIR, sorted. */
void used_libraries(const char *dir, struct argv *libraries);
/* Append the lines of the record of LIBRARY, each kernel once, the newest last: to STEMS the stem,
 * and to KERNELS the mangled name of the kernel that was compiled by itself, or "". False if there
 * is no such record. */
bool used_lines(const char *dir, const char *library, struct argv *stems, struct argv *kernels);
/* The manifest of LIBRARY that the cache DIR knows; free() it. NULL: none. */
char *used_manifest(const char *dir, const char *library);
/* Record in the cache DIR that MANIFEST, an absolute path, is that of LIBRARY. Failures are
 * ignored. */
void used_put_manifest(const char *dir, const char *library, const char *manifest);
/* Become the one process that compiles ahead of calls into the cache DIR, until this process ends.
 * False: another process is. */
bool used_warmer(const char *dir);

#endif
