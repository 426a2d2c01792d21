/* decompress.c - device code that its compiler has compressed with zstd. */
#include "bundle.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The frame says how long its content is. The longest code object so far has 300 MB. */
char *decompress_zstd(const void *bytes, size_t size, size_t *len) {
  const unsigned long long most = 1ull << 31;
  unsigned long long n = ZSTD_getFrameContentSize(bytes, size);
  size_t frame = n <= most ? ZSTD_findFrameCompressedSize(bytes, size) : size;
  if (n > most || ZSTD_isError(frame))
    return NULL;
  char *content = xmalloc(n + 1);
  *len = ZSTD_decompress(content, n, bytes, frame);
  if (*len == n)
    return content;
  free(content);
  return NULL;
}

/* "CCOB", and 16 bits of version and of method; then sizes and a hash. Source: LLVM,
 * clang/docs/ClangOffloadBundler.rst, "Compression and Decompression". */
char *bundle_decompress(const void *bytes, size_t size, size_t *len) {
  enum { METHOD_ZSTD = 1 };
  static const size_t heads[] = {0, 20, 24, 32}; /* by version */
  uint16_t of[2];
  if (!bundle_is_compressed(bytes, size) || size < heads[3])
    return NULL;
  memcpy(of, (const char *)bytes + 4, sizeof of);
  if (of[0] < 1 || of[0] > 3 || of[1] != METHOD_ZSTD)
    return NULL;
  return decompress_zstd((const char *)bytes + heads[of[0]], size - heads[of[0]], len);
}
