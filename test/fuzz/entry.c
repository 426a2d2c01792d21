/* entry.c - a file in the cache: may it be loaded, and which build id does it have. */
#include "fuzz.h"

#include "abi/ck_jit_entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE] = {0};
  int fd = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
  CHECK(fd >= 0);
  const char *why = ckjit_entry_read(fd, id, &kind);
  /* What it vouches for holds the id that it says. */
  CHECK(why || memmem(data, size, id, sizeof id));
  close(fd);
  return 0;
}
