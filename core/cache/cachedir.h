/* cachedir.h - a cache directory as a whole: may it be used, what a killed compile left in it, how much it
 * holds.
 *
 * One entry is abi/ck_jit_entry.h's business, making one is runtime/compile_*.c's. Used by ckjit-compile
 * and ckjit-prebuild. Thread safety: none is needed, one a process. Between processes: everything here may
 * run while others compile, load and clean in the same directory.
 */
#ifndef CKJIT_CACHEDIR_H
#define CKJIT_CACHEDIR_H

#include "core/base/base.h"

/* Make DIR, mode 0700, if it is not there, and check that it is the user's alone. */
bool cachedir_open(const char *dir, char **err);
/* Whether something can be written into DIR, which is there. */
bool cachedir_writable(const char *dir, char **err);
/* "cannot WHAT PATH", which is or lies in a cache directory, because of errno ERROR, and what to do;
 * free() it */
char *cachedir_why(const char *what, const char *path, int error);

/* Lock the lock file of key HEX (its first 48 bytes) where nobody holds it: the descriptor, CACHEDIR_HELD or
 * CACHEDIR_NO_LOCK if there is no such file. To release it: close. */
enum { CACHEDIR_HELD = -1, CACHEDIR_NO_LOCK = -2 };
int cachedir_try_lock(const char *dir, const char *hex);

/* Remove directories and locks of compiles that were killed, and temporary files of more than an hour. Errors
 * are of no consequence: the next one tries again. */
void cachedir_sweep(const char *dir);

/* How much DIR may hold. 0: as much as there is. */
struct cachedir_limits {
  uint64_t bytes; /* of entries, logs and precompiled headers */
  uint64_t files; /* entries */
};

/* CK_JIT_CACHE_MAX_SIZE and CK_JIT_CACHE_MAX_FILES */
bool cachedir_limits(struct cachedir_limits *limits, char **err);

/* Remove the least recently used until DIR holds no more than LIMITS. Not removed: KEEP (base name, may be
 * NULL), what a process has mapped, what is locked. So it may hold more while a job uses more. */
void cachedir_limit(const char *dir, const struct cachedir_limits *limits, const char *keep);

#endif
