/* bundle.h - clang's offload bundle, which the fat binary of HIP is.
 *
 * No input makes it read outside of its bytes. Thread safety: no shared state.
 */
#ifndef CKJIT_BUNDLE_H
#define CKJIT_BUNDLE_H

#include "core/base/base.h"

struct bundle {
  const char *bytes;
  size_t size, at;
  uint64_t
      left; /* entries that were not read; after the last bundle_next more than 0 if the bundle is torn */
};

struct bundle_entry {
  const char *id; /* of the target, without a NUL */
  size_t id_len;
  const char *arch; /* the part of ID that is HIP's architecture with its features; empty: another target */
  size_t arch_len;
  const char *data; /* the code object; NULL if it is not inside the bytes */
  size_t size;
};

/* Start at the first of SIZE BYTES. False: they are no bundle, or a compressed one. */
bool bundle_open(struct bundle *b, const void *bytes, size_t size);
bool bundle_next(struct bundle *b, struct bundle_entry *e);
/* Is it compressed? Then only clang-offload-bundler can read it. */
bool bundle_is_compressed(const void *bytes, size_t size);

/* Append a bundle of code objects, with nothing for the host, as clang-offload-bundler makes it of the N
 * architectures in PARTS. */
struct bundle_part {
  const char *arch, *bytes;
  size_t len;
};
void bundle_write(struct buf *out, const struct bundle_part *parts, size_t n);

#endif
