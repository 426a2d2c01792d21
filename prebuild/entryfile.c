/* entryfile.c - see entryfile.h. */
#include "entryfile.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_seal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL = 128 * 1024 };

/* The SIZE bytes of FD: for a small file a copy, because mapping takes longer than reading. */
static void *bytes_of(int fd, size_t size) {
  if (size > SMALL)
    return mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  void *data = xmalloc(size);
  if (ckjit_pread_all(fd, data, size, 0))
    return data;
  free(data);
  return MAP_FAILED;
}

bool entry_open(struct entry_file *f, const char *file) {
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  f->size = fd >= 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
  f->data = f->size ? bytes_of(fd, f->size) : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (f->data == MAP_FAILED)
    return false;
  if (elf_open(&f->elf, f->data, f->size, NULL))
    return true;
  entry_close(f);
  return false;
}

void entry_close(struct entry_file *f) {
  if (f->size > SMALL)
    munmap(f->data, f->size);
  else
    free(f->data);
}

bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s) {
  size_t at = 0;
  return elf_find(&f->elf, name, &at, s) && s->data;
}
