/* ck_jit_unpack.h - the bundle of a library that was given away, see ck_jit_unpack.c. */
#ifndef CK_JIT_UNPACK_H
#define CK_JIT_UNPACK_H

#include "ck_jit_text.h"

/* If LIBRARY has a bundle: set ROOT to the directory for it in CACHE ("": that of the environment),
 * which has its ckjit-compile, and FILE to the file with the bundle. Without one both stay empty.
 * False, and the reason in ERROR. Thread-safe; other processes may do the same. */
CKJIT_LOCAL bool ckjit_unpack(struct ckjit_text *root, struct ckjit_text *file, const char *library,
                              const char *cache, struct ckjit_text *error);

#endif
