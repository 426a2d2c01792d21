/* entries FILE DIR COUNT [FIRST] - fills the cache directory DIR with COUNT entries k000000.so,
 * k000001.so …, copies of FILE, a shared object with a build id of ckjit's. Each has another
 * build id and a correct seal, so a call would load it. */
#define _GNU_SOURCE
#include "abi/ck_jit_entry.h"

#include <stdlib.h>

int main(int argc, char **argv) {
  static unsigned char bytes[1 << 20];
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  int from = argc > 3 ? open(argv[1], O_RDONLY) : -1;
  ssize_t n = from < 0 ? -1 : read(from, bytes, sizeof bytes - sizeof(struct ckjit_seal));
  if (n <= 0 || ckjit_elf_read(from, (uint64_t)n, id, &kind))
    return 2;
  unsigned char *at = memmem(bytes, (size_t)n, id, sizeof id);
  unsigned long first = argc > 4 ? strtoul(argv[4], NULL, 10) : 0,
                end = first + strtoul(argv[3], NULL, 10);
  for (unsigned long i = first; i < end; i++) {
    char name[PATH_MAX];
    struct ckjit_seal seal = {.size = (uint64_t)n};
    memcpy(seal.magic, CKJIT_SEAL_MAGIC, sizeof seal.magic);
    memcpy(at, &i, sizeof i);
    snprintf(name, sizeof name, "%s/k%06lu.so", argv[2], i);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0755);
    if (fd < 0 || write(fd, bytes, (size_t)n) != n || !ckjit_xxh64(fd, seal.size, &seal.hash) ||
        write(fd, &seal, sizeof seal) != sizeof seal || close(fd))
      return 1;
  }
  return 0;
}
