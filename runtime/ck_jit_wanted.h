/* ck_jit_wanted.h - what a thread wants: a blob of this library, or one kernel of it, for this machine.
 *
 * A first call works this out before anything is done about it, with all that asks the dynamic linker (which
 * may make a thread wait for another) or the environment. What follows, the look-up, the flight and the load,
 * works on it alone.
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
  struct ckjit_text cache, readonly; /* directories, absolute; empty: there is none */
  struct ckjit_text library;         /* the file by the name that it was loaded by */
  struct ckjit_root root;            /* of ckjit_want_root: only a compile needs it */
  char ***environment;               /* where the process's is */
  const char *add_flags;             /* to those of the blob; NULL: none */

  const struct ckjit_api_export *as; /* no entry, but what HOW of ck_jit_api.h says; NULL: an entry */

  /* no cache: what is compiled comes in FILE (ck_jit_unlinked.h) */
  bool unlinked;
  int file; /* -1: none; this thread's */

  uint64_t
      function; /* the function that is called: those that launch nothing may do (ck_jit_alone.h); 0: all of them */
  uint32_t called; /* … by its number; FUNCTION is its hash */

  /* of CUDA and of lazy units (ck_jit_lazy.h) */
  bool apart;                         /* the entry without kernels */
  uint8_t whole[CKJIT_BUILD_ID_SIZE]; /* then: the build id of that with all */
  const char *kernel,
      *entry; /* one kernel, and the entry of its blob; kernel NULL: a blob; entry NULL: of a unit */
  uint64_t kernel_hash; /* 0: a blob */
  struct ckjit_text kernel_stem;
};

/* Let W be BLOB, as its library's own calls want it; a lazy unit is wanted as a whole. False, and why in ERROR, if there is no cache to trust.
 * To be freed in any case. */
CKJIT_LOCAL bool ckjit_want(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error);
/* The same for a first call: if no cache can be made, that is said once, and W comes in an unlinked file. */
CKJIT_LOCAL bool ckjit_want_anyhow(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error);
/* No cache has W, of a whole blob or unit. True: nor can it be written to, which is said once; W comes in an unlinked file. */
CKJIT_LOCAL bool ckjit_want_own_file(struct ckjit_wanted *w);
/* Let W be BLOB for an executor of its own: in an unlinked file, with ADD_FLAGS (may be NULL), for ARCHS (a
 * list; NULL: as usual). Borrows ADD_FLAGS. */
CKJIT_LOCAL void ckjit_want_fresh(struct ckjit_wanted *w, uint32_t blob, const char *add_flags,
                                  const char *archs);
/* Let W, of a blob or of a lazy unit, be its kernel NAME, which is borrowed: OF is the build id that its kernels go by, ENTRY the entry of
 * the blob, NULL for a unit. False: no memory. */
CKJIT_LOCAL bool ckjit_want_kernel(struct ckjit_wanted *w, const uint8_t of[CKJIT_BUILD_ID_SIZE],
                                   const char *entry, const char *name);
/* Whether the blob of W is one of CUDA that is to be taken apart. */
CKJIT_LOCAL bool ckjit_per_kernel(const struct ckjit_wanted *w);
/* Let W be the entry of its blob without kernels. */
CKJIT_LOCAL void ckjit_want_apart(struct ckjit_wanted *w);
/* W, of ckjit_want, is about BLOB from now on. Faster than another ckjit_want, for thousands of blobs. */
CKJIT_LOCAL void ckjit_want_other(struct ckjit_wanted *w, uint32_t blob);
/* Find W's root, if that has not been done. */
CKJIT_LOCAL void ckjit_want_root(struct ckjit_wanted *w);
CKJIT_LOCAL void ckjit_wanted_free(struct ckjit_wanted *w);

/* Close its file. */
CKJIT_LOCAL void ckjit_wanted_close(struct ckjit_wanted *w);

/* With CK_JIT_VERBOSE: a line about W on standard error. */
CKJIT_LOCAL void ckjit_tell(const struct ckjit_wanted *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
