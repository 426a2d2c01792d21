/* ck_jit_place.h - where a library finds its sources, its compiler and its cache.
 *
 * An install tree can be moved anywhere, so absolute names are fallbacks only: the root is looked for beside
 * the library. A relative CK_JIT_ROOT or CK_JIT_CACHE_DIR of the environment counts from the current
 * directory, as its user typed it; a relative root that is baked into the library counts from the library's
 * directory.
 *
 * All of them append to a text of the caller's. As thread-safe as getenv; what asks the dynamic linker
 * (library, root) may wait for its lock.
 */
#ifndef CK_JIT_PLACE_H
#define CK_JIT_PLACE_H

#include "ck_jit_text.h"

/* PATH, made absolute */
CKJIT_LOCAL void ckjit_add_absolute(struct ckjit_text *t, const char *path);
/* TEXT with a "{root}" at its start replaced by ROOT; absolute names stay as they are */
CKJIT_LOCAL void ckjit_add_expanded(struct ckjit_text *t, const char *text, const char *root);
/* The file that this library was loaded from. False if the dynamic linker does not know it. */
CKJIT_LOCAL bool ckjit_add_library(struct ckjit_text *t);

/* The root: CK_JIT_ROOT, the one baked in, ck_jit beside the library (or beside the file that a symbolic link
 * to the library means), else the tree that the library was built in. True: it is a name that was written down
 * when the library was built, and has to be checked before it is used (ckjit_check_root). */
CKJIT_LOCAL bool ckjit_find_root(struct ckjit_text *root);
/* Whether ROOT, such a name, is not there, or nobody but root and the user can have put it there. False, and why in
 * ERROR. */
CKJIT_LOCAL bool ckjit_check_root(const char *root, struct ckjit_text *error);
/* ckjit-compile: that of ROOT, which is of the same version, else the one of the build. WRITTEN: ROOT is such a
 * name. False, and why in ERROR, if there is none to trust. */
CKJIT_LOCAL bool ckjit_find_program(struct ckjit_text *program, const char *root, bool written,
                                    struct ckjit_text *error);
/* ckjit-prebuild and the manifest that belong to ROOT, to be named in a message; they are not checked. MANIFEST is empty if
 * none is found. */
CKJIT_LOCAL void ckjit_find_prebuild(struct ckjit_text *program, struct ckjit_text *manifest,
                                     const char *root);
/* The file of the list NAME, of what keys were made from: in ROOT, in the directory of the build, or LIBRARY
 * itself, which has all of its lists, so that one which is not to be trusted counts as missing. */
CKJIT_LOCAL void ckjit_find_inputs(struct ckjit_text *file, const char *name, const char *root, bool written,
                                   const char *library);
/* the source of BLOB in ROOT */
CKJIT_LOCAL void ckjit_find_source(struct ckjit_text *source, uint32_t blob, const char *root);

/* False, and why in ERROR, if this process has more privileges than its user: then the user could change what
 * it would load, in the cache or while it is compiled. */
CKJIT_LOCAL bool ckjit_may_load(struct ckjit_text *error);
/* The cache directory, made if it is not there. False, and why in ERROR, if there is none to trust: who can
 * write into it decides what this process executes. With CK_JIT_ON_MISS=error nothing will be written, so one that
 * cannot be made is none: CACHE is empty then. *NONE becomes true if that one cannot be
 * made, other than for want of room, is all that is wrong. */
CKJIT_LOCAL bool ckjit_find_cache(struct ckjit_text *cache, struct ckjit_text *error, bool *none);
/* The directory of CK_JIT_CACHE_READONLY_DIR, which is looked into before the cache; empty if none is set, or
 * if it is not to be trusted, which is said. */
CKJIT_LOCAL void ckjit_find_readonly(struct ckjit_text *dir);

#endif
