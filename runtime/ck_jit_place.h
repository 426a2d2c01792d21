/* ck_jit_place.h - where a library finds its sources, its compiler and its cache.
 *
 * An install tree can be moved anywhere, so absolute names are fallbacks only: the root is
 * looked for beside the library. A relative CK_JIT_ROOT or CK_JIT_CACHE_DIR of the environment
 * counts from the current directory, as its user typed it; a relative root that is baked into
 * the library counts from the library's directory.
 *
 * All of them append to a text of the caller's. As thread-safe as getenv; none of it asks the
 * dynamic linker.
 */
#ifndef CK_JIT_PLACE_H
#define CK_JIT_PLACE_H

#include "ck_jit_text.h"

#include <sys/stat.h>

/* PATH, made absolute */
CKJIT_LOCAL void ckjit_add_absolute(struct ckjit_text *t, const char *path);
/* TEXT with a "{root}" at its start replaced by ROOT; absolute names stay as they are */
CKJIT_LOCAL void ckjit_add_expanded(struct ckjit_text *t, const char *text, const char *root);

/* where the root is from, which decides on who may have put it there */
enum ckjit_root_from {
  CKJIT_ROOT_NAMED,   /* CK_JIT_ROOT: the user's word, not checked */
  CKJIT_ROOT_BESIDE,  /* it is beside the library: whoever could exchange that may have put it there */
  CKJIT_ROOT_WRITTEN, /* a name of the time when the library was built: only root and the user may */
};

struct ckjit_root {
  struct ckjit_text path; /* empty: there is none */
  enum ckjit_root_from from;
  size_t dir;          /* BESIDE: bytes of path that name the library's directory */
  struct stat library; /* BESIDE: the library's file */
  bool is_library;     /* the library's name leads to the file that is mapped */
};

/* Let R be the root: CK_JIT_ROOT, the one baked in, ck_jit beside LIBRARY (or beside the file
 * that a symbolic link to the library means), else the tree that the library was built in.
 * LIBRARY, of ckjit_add_library, becomes the file that is mapped if it does not lead there. Does
 * not ask the dynamic linker. ckjit_text_free(&R->path). */
CKJIT_LOCAL void ckjit_find_root(struct ckjit_root *r, struct ckjit_text *library);
/* Whether R is not there, or can be used. False, and why in ERROR. */
CKJIT_LOCAL bool ckjit_check_root(const struct ckjit_root *r, struct ckjit_text *error);
/* ckjit-compile: that of R, which is of the same version, else the one of the build. LIBRARY is
 * for the message. False, and why in ERROR, if there is none to trust. */
CKJIT_LOCAL bool ckjit_find_program(struct ckjit_text *program, const struct ckjit_root *r,
                                    const char *library, struct ckjit_text *error);
/* ckjit-prebuild and the manifest that belong to ROOT, to be named in a message; they are not checked. MANIFEST is empty if
 * none is found. */
CKJIT_LOCAL void ckjit_find_prebuild(struct ckjit_text *program, struct ckjit_text *manifest,
                                     const char *root);
/* The file of the list NAME, of what keys were made from: in R, in the directory of the build,
 * or LIBRARY itself, which has all of its lists, so that one which is not to be trusted counts
 * as missing. */
CKJIT_LOCAL void ckjit_find_inputs(struct ckjit_text *file, const char *name, const struct ckjit_root *r,
                                   const struct ckjit_text *library);
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
