/* The seal of a cache entry: its hash is XXH64 for every length, and a file that was changed anywhere, cut or
 * lengthened is refused. */
// tier: check
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "abi/ck_jit_entry.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

static int file_of(const void *bytes, size_t n) {
  int fd = memfd_create("seal", MFD_CLOEXEC);
  assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
  return fd;
}

static void check_hash(const unsigned char *bytes, size_t n) {
  int fd = file_of(bytes, n);
  uint64_t hash;
  assert(ckjit_xxh64(fd, n, &hash));
  assert(hash == XXH64(bytes, n, 0));
  close(fd);
}

static void check_seal(const unsigned char *bytes, size_t n) {
  struct ckjit_seal seal = {.size = n, .hash = XXH64(bytes, n, 0)};
  memcpy(seal.magic, CKJIT_SEAL_MAGIC, sizeof seal.magic);
  size_t whole = n + sizeof seal;
  unsigned char *file = malloc(whole + 1);
  memcpy(file, bytes, n);
  memcpy(file + n, &seal, sizeof seal);
  file[whole] = 0;
  int fd = file_of(file, whole + 1);
  assert(!ckjit_seal_check(fd, whole));
  assert(ckjit_seal_check(fd, whole + 1) && ckjit_seal_check(fd, whole - 1) && ckjit_seal_check(fd, n));
  for (size_t i = 0; i < whole; i++) {
    unsigned char changed = file[i] ^ (unsigned char)(1u << i % 8);
    assert(pwrite(fd, &changed, 1, (off_t)i) == 1 && ckjit_seal_check(fd, whole));
    assert(pwrite(fd, &file[i], 1, (off_t)i) == 1);
  }
  assert(!ckjit_seal_check(fd, whole));
  close(fd);
  free(file);
}

int main(void) {
  enum { LARGE = 100 * 1000 };
  unsigned char *bytes = malloc(LARGE);
  uint32_t random = 1;
  for (size_t i = 0; i < LARGE; i++)
    bytes[i] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
  for (size_t n = 0; n < 200; n++)
    check_hash(bytes, n);
  for (size_t n = 16 * 1024 - 40; n < 16 * 1024 + 40; n++)
    check_hash(bytes, n);
  check_hash(bytes, LARGE);
  check_seal(bytes, 0);
  check_seal(bytes, 333);
  free(bytes);
}
