/* ck_jit_record.h - the record of use of this library in a cache (ck_jit_used.h), as numbers of
 * blobs.
 *
 * The record is data of the cache directory, which is trusted like its entries. It only decides
 * what to compile ahead of calls, so a damaged record costs at worst unneeded compiles of this
 * library's own kernels.
 *
 * Thread-safe; reads a file.
 */
#ifndef CK_JIT_RECORD_H
#define CK_JIT_RECORD_H

#include "ck_jit_used.h"
#include "ck_jit_wanted.h"

struct ckjit_recorded {
  char *text;                                  /* the text of the record */
  struct ckjit_used lines[CKJIT_USED_KERNELS]; /* in the text, each kernel once */
  size_t nlines, n;
  uint32_t blobs[CKJIT_USED_KERNELS]; /* in the order of their last calls */
  /* it was called soon after the one before it was ready */
  bool follows[CKJIT_USED_KERNELS];
};

/* The kernels that calls of W's library waited for. R is empty if nothing is recorded. Call
 * ckjit_record_free in either case. */
CKJIT_LOCAL void ckjit_record_read(struct ckjit_recorded *r, const struct ckjit_wanted *w);
CKJIT_LOCAL void ckjit_record_free(struct ckjit_recorded *r);
/* Add a word to WORDS for each recorded kernel of W's blob that has its own entry
 * (CKJIT_THEN_KERNEL). Returns their number. */
CKJIT_LOCAL unsigned ckjit_record_kernels(struct ckjit_text *words, const struct ckjit_recorded *r,
                                          const struct ckjit_wanted *w);
/* The name of the record of W's library; NULL: it has none. */
CKJIT_LOCAL const char *ckjit_record_name(const struct ckjit_wanted *w);

#endif
