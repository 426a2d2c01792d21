/* ck_jit_record.h - the record of use of this library in a cache (ck_jit_used.h), as numbers of blobs.
 *
 * The record is data of the cache directory, which is trusted as its entries are. It is read for what to compile ahead of calls and for
 * nothing else, so a record that is damaged costs compiles that nobody needs, of this library's own kernels, at worst.
 *
 * Thread-safe; reads a file.
 */
#ifndef CK_JIT_RECORD_H
#define CK_JIT_RECORD_H

#include "ck_jit_used.h"
#include "ck_jit_wanted.h"

struct ckjit_recorded {
  char *text;                                  /* what was read */
  struct ckjit_used lines[CKJIT_USED_KERNELS]; /* in it, each kernel once */
  size_t nlines, n;
  uint32_t blobs[CKJIT_USED_KERNELS]; /* in the order in which they were called last */
  bool follows[CKJIT_USED_KERNELS];   /* … it was called soon after the one before it was there */
};

/* What calls of W's library waited for. R is empty if nothing is recorded. ckjit_record_free in either case. */
CKJIT_LOCAL void ckjit_record_read(struct ckjit_recorded *r, const struct ckjit_wanted *w);
CKJIT_LOCAL void ckjit_record_free(struct ckjit_recorded *r);
/* Add to WORDS one for each recorded kernel of W's blob that is compiled by itself (CKJIT_THEN_KERNEL). Returns how many. */
CKJIT_LOCAL unsigned ckjit_record_kernels(struct ckjit_text *words, const struct ckjit_recorded *r,
                                          const struct ckjit_wanted *w);
/* The name under which it is recorded; NULL: W's library has none. */
CKJIT_LOCAL const char *ckjit_record_name(const struct ckjit_wanted *w);

#endif
