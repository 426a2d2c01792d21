/* ck_jit_wanted.h - a wanted entry: a blob of this library, or one kernel of it, for this machine.
 *
 * A first call computes this before it does anything else, with all queries of the dynamic linker
 * (which may make a thread wait for another) and the environment. The look-up, the flight and the
 * load use only this struct.
 *
 * A struct belongs to one thread.
 */
#ifndef CK_JIT_WANTED_H
#define CK_JIT_WANTED_H

#include "ck_jit_arch.h"
#include "ck_jit_place.h"
#include "ck_jit_text.h"

struct ckjit_api_export;

struct ckjit_wanted {
  uint32_t blob;
  const char *stem; /* stem_len bytes, not terminated */
  size_t stem_len;
  char archs[CKJIT_ARCHS_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_text cache, readonly; /* absolute directories; empty: none */
  /* the file by the name that it was loaded by */
  struct ckjit_text library;
  /* from ckjit_want_root: only a compile needs it */
  struct ckjit_root root;
  /* from ckjit_want_bundle: the file with the bundle that the root is made from; empty: none */
  struct ckjit_text bundle;
  /* address of the process's environment */
  char ***environment;
  /* after those of the blob; NULL: none */
  const char *add_flags;

  /* export as HOW of ck_jit_api.h; NULL: an entry */
  const struct ckjit_api_export *as;

  /* No cache: the compiled code comes in FILE (ck_jit_unlinked.h). */
  bool unlinked;
  int file; /* -1: none; this thread's */

  /* hash of the called function, if the host-only functions may suffice (ck_jit_alone.h); 0: the
   * whole blob */
  uint64_t function;
  uint32_t called; /* the number of that function */

  /* of CUDA and of lazy units (ck_jit_lazy.h) */
  bool apart; /* the entry without kernels */
  /* if apart: the build id of the entry with all kernels */
  uint8_t whole[CKJIT_BUILD_ID_SIZE];
  /* One kernel, and the entry of its blob. kernel NULL: a blob; entry NULL: a unit's kernel. */
  const char *kernel, *entry;
  uint64_t kernel_hash; /* 0: a blob */
  struct ckjit_text kernel_stem;
};

/* Set W to BLOB, as its library's own calls want it; a lazy unit is wanted as a whole. False, and
 * the reason in ERROR, if there is no cache or it is not trusted. Free W in any case. */
CKJIT_LOCAL bool ckjit_want(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error);
/* The same for a first call: if no cache can be made, that is reported once, and W comes in an
 * unlinked file. */
CKJIT_LOCAL bool ckjit_want_anyhow(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error);
/* No cache has W, a whole blob or unit. True: nor can the cache be written to, which is reported
 * once; then W comes in an unlinked file. */
CKJIT_LOCAL bool ckjit_want_own_file(struct ckjit_wanted *w);
/* Set W to BLOB for a fresh handle: in an unlinked file, with ADD_FLAGS (may be NULL), for ARCHS (a
 * list; NULL: as usual). Borrows ADD_FLAGS. */
CKJIT_LOCAL void ckjit_want_fresh(struct ckjit_wanted *w, uint32_t blob, const char *add_flags,
                                  const char *archs);
/* Change W, a blob or lazy unit, to its kernel NAME, which is borrowed. OF is the build id from
 * which its kernels' ids are made, ENTRY the entry of the blob, NULL for a unit. False: no
 * memory. */
CKJIT_LOCAL bool ckjit_want_kernel(struct ckjit_wanted *w, const uint8_t of[CKJIT_BUILD_ID_SIZE],
                                   const char *entry, const char *name);
/* Whether the blob of W is one of CUDA that is to be taken apart. */
CKJIT_LOCAL bool ckjit_per_kernel(const struct ckjit_wanted *w);
/* Let W be the entry of its blob without kernels. */
CKJIT_LOCAL void ckjit_want_apart(struct ckjit_wanted *w);
/* Change W, from ckjit_want, to BLOB. Faster than another ckjit_want, for thousands of blobs. */
CKJIT_LOCAL void ckjit_want_other(struct ckjit_wanted *w, uint32_t blob);
/* Find W's root, unless that was done already. */
CKJIT_LOCAL void ckjit_want_root(struct ckjit_wanted *w);
/* If W's root is neither named nor beside the library, and the library has a bundle, let W's root
 * be that of the bundle (ck_jit_unpack.h). False, and the reason in ERROR. */
CKJIT_LOCAL bool ckjit_want_bundle(struct ckjit_wanted *w, struct ckjit_text *error);
CKJIT_LOCAL void ckjit_wanted_free(struct ckjit_wanted *w);

/* Close its file. */
CKJIT_LOCAL void ckjit_wanted_close(struct ckjit_wanted *w);

/* With CK_JIT_VERBOSE: print a line about W on standard error. */
CKJIT_LOCAL void ckjit_tell(const struct ckjit_wanted *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
