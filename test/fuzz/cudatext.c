/* cudatext.c - device text without the bodies of kernels. The part behind a NUL is another stub. */
#include "fuzz.h"

#include "compile/cuda/cudatext.h"

static size_t lines(const char *s, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += s[i] == '\n';
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = xmalloc(size ? size : 1); /* a read behind its end is seen */
  struct buf once = {0}, twice = {0};
  if (size)
    memcpy(text, data, size);
  size_t bodies = cudatext_without_bodies(text, size, &once);
  if (bodies) {
    CHECK(once.len <= size && lines(once.data, once.len) == lines(text, size));
    CHECK(cudatext_without_bodies(once.data, once.len, &twice) == bodies);
    CHECK(twice.len == once.len && memcmp(twice.data, once.data, once.len) == 0);
  }
  char *stub = fuzz_text(data, size);
  const char *other = strlen(stub) < size ? stub + strlen(stub) + 1 : "";
  CHECK(cudatext_same_stub(stub, stub));
  CHECK(cudatext_same_stub(stub, other) == cudatext_same_stub(other, stub));
  free(stub);
  buf_free(&once);
  buf_free(&twice);
  free(text);
  return 0;
}
