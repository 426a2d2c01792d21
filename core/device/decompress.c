/* decompress.c - device code that its compiler has compressed with zstd or LZ4. */
#include "bundle.h"

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

/* Add the bytes of a length whose four bits are all set. False: the block ends. */
static bool lz4_length(const unsigned char **at, const unsigned char *end, size_t *n) {
  for (unsigned char byte = 255; *n >= 15 && byte == 255; *n += byte) {
    if (*at == end)
      return false;
    byte = *(*at)++;
  }
  return true;
}

/* A block is a row of sequences: literals, and a match in what came before; the last has only
 * literals. Source: LZ4's doc/lz4_Block_format.md. */
char *decompress_lz4(const void *bytes, size_t size, size_t len) {
  const size_t most = (size_t)1 << 31;
  const unsigned char *at = bytes, *end = at + size;
  char *out = len <= most ? xmalloc(len + 1) : NULL;
  size_t n = 0;
  bool good = out && size;
  while (good && at < end) {
    size_t literals = *at >> 4, match = *at & 15;
    at++;
    good = lz4_length(&at, end, &literals) && literals <= (size_t)(end - at) && literals <= len - n;
    if (!good)
      break;
    memcpy(out + n, at, literals);
    n += literals;
    at += literals;
    if (at == end)
      break;
    size_t back = end - at >= 2 ? at[0] | (size_t)at[1] << 8 : 0;
    at += back ? 2 : 0;
    good = back && back <= n && lz4_length(&at, end, &match) && match + 4 <= len - n;
    for (size_t i = 0; good && i < match + 4; i++, n++)
      out[n] = out[n - back];
  }
  if (good && n == len)
    return out;
  free(out);
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
