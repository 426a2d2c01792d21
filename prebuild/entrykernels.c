/* entrykernels.c - which kernels, functions that are __global__, a file has code of.
 *
 * HIP's section is a bundle of code objects (LLVM, clang/docs/ClangOffloadBundler.rst), each an ELF file with a descriptor NAME.kd for each
 * kernel. What CUDA's has is compressed by a method that is not documented, and so may be HIP's: then nothing is told. */
#include "entrykernels.h"
#include "core/base/elf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EM_GPU = 224 }; /* EM_AMDGPU */

static void read_code_object(struct argv *names, const unsigned char *data, uint64_t size) {
  static const char descriptor[] = ".kd";
  struct elf e;
  struct elf_symtab syms;
  struct elf_symbol s;
  if (!elf_open(&e, data, size, NULL) || e.machine != EM_GPU ||
      (!elf_symtab(&e, SHT_SYMTAB, &syms) && !elf_symtab(&e, SHT_DYNSYM, &syms)))
    return;
  for (size_t i = 0; i < syms.count; i++)
    if (elf_symbol(&syms, i, &s) && s.section != SHN_UNDEF && s.type == STT_OBJECT &&
        str_ends(s.name, descriptor))
      argv_add_once(names, xstrndup(s.name, strlen(s.name) - strlen(descriptor)));
}

/* The N bytes at DATA; false if they are no bundle whose entries can be read. */
static bool read_bundle(struct argv *names, const unsigned char *data, uint64_t n) {
  static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t at = sizeof magic - 1, entries, head[3]; /* offset, size, length of the name */
  if (n < at + sizeof entries || memcmp(data, magic, at) != 0)
    return false;
  memcpy(&entries, data + at, sizeof entries);
  at += sizeof entries;
  for (; entries; entries--) {
    if (n - at < sizeof head)
      return false;
    memcpy(head, data + at, sizeof head);
    at += sizeof head;
    if (head[2] > n - at || head[0] > n || head[1] > n - head[0])
      return false;
    at += head[2];
    read_code_object(names, data + head[0], head[1]);
  }
  return true;
}

bool entry_kernels(struct argv *names, const char *file) {
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat st;
  size_t size =
      fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
  void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  struct elf e;
  struct elf_section s;
  size_t at = 0;
  if (fd >= 0)
    close(fd);
  if (data == MAP_FAILED)
    return false;
  bool told = elf_open(&e, data, size, NULL) && elf_find(&e, ".hip_fatbin", &at, &s) && s.data &&
              read_bundle(names, s.data, s.size);
  munmap(data, size);
  return told;
}
