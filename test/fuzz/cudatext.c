/* cudatext.c - two stubs: TEXT, and the part behind a NUL. */
#include "fuzz.h"

#include "compile/cuda/cudatext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *stub = fuzz_text(data, size);
  const char *other = strlen(stub) < size ? stub + strlen(stub) + 1 : "";
  CHECK(cudatext_same_stub(stub, stub));
  CHECK(cudatext_same_stub(stub, other) == cudatext_same_stub(other, stub));
  free(stub);
  return 0;
}
