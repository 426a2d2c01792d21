/* bundle.h - clang's offload bundle, the fat binary of HIP.
 *
 * It never reads outside its bytes, whatever the input. Thread safety: no shared state.
 */
#ifndef CKJIT_BUNDLE_H
#define CKJIT_BUNDLE_H

#include "core/base/base.h"

struct bundle {
  const char *bytes;
  size_t size, at;
  /* the number of unread entries; not 0 after the last bundle_next if the bundle is torn */
  uint64_t left;
};

struct bundle_entry {
  const char *id; /* of the target, without a NUL */
  size_t id_len;
  /* the part of ID with HIP's architecture and its features; empty: another target */
  const char *arch;
  size_t arch_len;
  /* the code object; NULL if it is not inside the bytes */
  const char *data;
  size_t size;
};

/* Start at the first of SIZE BYTES. False: they are not a bundle, or a compressed one. */
bool bundle_open(struct bundle *b, const void *bytes, size_t size);
bool bundle_next(struct bundle *b, struct bundle_entry *e);
/* Is it compressed? Then bundle_decompress gives its bytes. */
bool bundle_is_compressed(const void *bytes, size_t size);
/* decompress.c: the bundle in a compressed one, *LEN bytes; free() it. NULL: it is damaged, or zlib
 * has compressed it. */
char *bundle_decompress(const void *bytes, size_t size, size_t *len);
/* The same for the one zstd frame in SIZE BYTES, which may be followed by zeros. */
char *decompress_zstd(const void *bytes, size_t size, size_t *len);
/* The LEN bytes of the LZ4 block in SIZE BYTES; free() them. NULL: it is damaged. */
char *decompress_lz4(const void *bytes, size_t size, size_t len);

/* Append a bundle of code objects, without host code, as clang-offload-bundler makes it from the N
 * architectures in PARTS. */
struct bundle_part {
  const char *arch, *bytes;
  size_t len;
};
void bundle_write(struct buf *out, const struct bundle_part *parts, size_t n);

#endif
