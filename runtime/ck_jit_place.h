/* ck_jit_place.h - where a library finds its sources, its compiler and its cache.
 *
 * An install tree can be moved anywhere, so absolute names are fallbacks only: the root is searched
 * for beside the library. A relative CK_JIT_ROOT, built in or of the environment, is relative to
 * the library's directory, as in CK JIT; a relative CK_JIT_CACHE_DIR to the current directory,
 * where its user typed it.
 *
 * All functions append to a text of the caller's. They are as thread-safe as getenv, and none asks
 * the dynamic linker.
 */
#ifndef CK_JIT_PLACE_H
#define CK_JIT_PLACE_H

#include "ck_jit_text.h"

#include <sys/stat.h>

/* PATH, made absolute. */
CKJIT_LOCAL void ckjit_add_absolute(struct ckjit_text *t, const char *path);
/* TEXT with a "{root}" at its start replaced by ROOT; absolute names are unchanged. */
CKJIT_LOCAL void ckjit_add_expanded(struct ckjit_text *t, const char *text, const char *root);

/* the source of the root, which decides who may have put it there */
enum ckjit_root_from {
  /* CK_JIT_ROOT: the user's choice, not checked */
  CKJIT_ROOT_NAMED,
  /* beside the library: anyone who could exchange that may have put it there */
  CKJIT_ROOT_BESIDE,
  /* a name from the time of the build: only root and the user may have put it there */
  CKJIT_ROOT_WRITTEN,
};

struct ckjit_root {
  struct ckjit_text path; /* empty: no root */
  enum ckjit_root_from from;
  /* BESIDE: the length of the library's directory in path */
  size_t dir;
  /* BESIDE: describes the library's file */
  struct stat library;
  /* the library's name leads to the mapped file */
  bool is_library;
};

/* Set R to the root: CK_JIT_ROOT, the built-in one, ck_jit beside LIBRARY (or beside the target of
 * a symbolic link to the library), else the tree in which the library was built. LIBRARY, from
 * ckjit_add_library, becomes the mapped file if it does not lead there. Does not ask the dynamic
 * linker. Call ckjit_text_free(&R->path). */
CKJIT_LOCAL void ckjit_find_root(struct ckjit_root *r, struct ckjit_text *library);
/* True if R does not exist or can be used. False, and the reason in ERROR. */
CKJIT_LOCAL bool ckjit_check_root(const struct ckjit_root *r, struct ckjit_text *error);
/* ckjit-compile: that of R, which has the same version, else that of the build. LIBRARY is for the
 * message. False, and the reason in ERROR, if there is none or it is not trusted. */
CKJIT_LOCAL bool ckjit_find_program(struct ckjit_text *program, const struct ckjit_root *r,
                                    const char *library, struct ckjit_text *error);
/* ckjit-prebuild and the manifest of ROOT, for a message; not checked. MANIFEST is empty if there
 * is none. */
CKJIT_LOCAL void ckjit_find_prebuild(struct ckjit_text *program, struct ckjit_text *manifest,
                                     const char *root);
/* The file of NAME, a list of the inputs of keys: in R, in the directory of the build, or LIBRARY
 * itself, which has all its lists, so that a list that is not trusted counts as missing. */
CKJIT_LOCAL void ckjit_find_inputs(struct ckjit_text *file, const char *name,
                                   const struct ckjit_root *r, const struct ckjit_text *library);
/* The source of BLOB in ROOT. */
CKJIT_LOCAL void ckjit_find_source(struct ckjit_text *source, uint32_t blob, const char *root);

/* False, and the reason in ERROR, if this process has more privileges than its user: then the user
 * could change the code that it would load, in the cache or during its compile. */
CKJIT_LOCAL bool ckjit_may_load(struct ckjit_text *error);
/* From now on the cache is DIR instead of that of the environment; NULL or "": the environment's.
 * Loaded kernels stay. False: no memory. */
CKJIT_LOCAL bool ckjit_choose_cache(const char *dir);
/* The cache directory, made if it does not exist. False, and the reason in ERROR, if it is not
 * trusted: anyone who can write into it decides what this process executes. With
 * CK_JIT_ON_MISS=error nothing will be written, so a directory that cannot be made leaves CACHE
 * empty. *NONE becomes true if the only problem is that it cannot be made, and not for want of
 * space. */
CKJIT_LOCAL bool ckjit_find_cache(struct ckjit_text *cache, struct ckjit_text *error, bool *none);
/* The directory of CK_JIT_CACHE_READONLY_DIR, which is searched before the cache. Empty if the
 * variable is not set, or if the directory is not trusted, which causes a warning. */
CKJIT_LOCAL void ckjit_find_readonly(struct ckjit_text *dir);

#endif
