/* runtime_entry.c - the reader of cache entries on damaged input: every length of a good file, and every byte
 * of its headers and notes with every bit turned. It must never crash, and a file that was cut must never be
 * a hit.
 *
 *   runtime_entry FILE
 */
#include "abi/ck_jit_entry.h"

#include <stdlib.h>
#include <sys/mman.h>

static int memfd_of(const char *bytes, size_t n) {
  int fd = memfd_create("entry", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes, n) != (ssize_t)n) {
    perror("memfd");
    exit(1);
  }
  return fd;
}

int main(int argc, char **argv) {
  static char good[1 << 20];
  enum ckjit_kind kind;
  enum ckjit_kind kind;
  enum ckjit_kind kind;
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE], wanted[CKJIT_BUILD_ID_SIZE];
  int in = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  ssize_t n = in < 0 ? -1 : read(in, good, sizeof good);
  if (n <= 0 || ckjit_entry_read(in, wanted, &kind)) {
    fprintf(stderr, "no good file\n");
    return 1;
  }
  int fd = memfd_of(good, (size_t)n);
  for (ssize_t cut = n - 1; cut >= 0; cut--)
    if (ftruncate(fd, cut) || !ckjit_entry_read(fd, id, &kind)) {
      fprintf(stderr, "a file of %zd bytes cut to %zd was taken for whole\n", n, cut);
      return 1;
    }
  close(fd);
  fd = memfd_of(good, (size_t)n);
  for (ssize_t i = 0; i < 1024 && i < n; i++)
    for (int bit = 0; bit < 8; bit++) {
      char c = (char)(good[i] ^ (1 << bit));
      if (pwrite(fd, &c, 1, i) != 1)
        return 1;
      ckjit_entry_read(fd, id, &kind);
      if (pwrite(fd, &good[i], 1, i) != 1)
        return 1;
    }
  return ckjit_entry_read(fd, id, &kind) || memcmp(id, wanted, sizeof id) != 0;
}
