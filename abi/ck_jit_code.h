/* ck_jit_code.h - finds a kernel's code in an entry: the section of its fat binary.
 *
 * The entry of a kernel is an ELF file that has only sections and is for no machine
 * (compile/codeentry.h); that of a blob is a shared object. Both have the code in a section of the
 * same name. libc only, no allocation, no state, thread-safe.
 */
#ifndef CK_JIT_CODE_H
#define CK_JIT_CODE_H

#include "ck_jit_elf.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define CKJIT_CODE_HIP ".hip_fatbin"
#define CKJIT_CODE_CUDA ".nv_fatbin"
enum { CKJIT_CODE_ALIGN = 4096 }; /* clang's, of .hip_fatbin; nvcc's is 16 */

/* Map the section NAME of the ELF file open at FD, for good. Returns its address, and its size in
 * *SIZE, which may be 0; NULL if there is no such section or it cannot be mapped. Maps the whole
 * file unchanged, because HIP looks up the file and offset of an address. */
static inline const void *ckjit_code_map(int fd, const char *name, uint64_t *size) {
  struct stat st;
  Elf64_Ehdr e;
  Elf64_Shdr names, s;
  char has[16] = "";
  const size_t n = strlen(name) + 1;
  if (n > sizeof has || fstat(fd, &st) || !ckjit_pread_all(fd, &e, sizeof e, 0) ||
      !ckjit_pread_all(fd, &names, sizeof names, e.e_shoff + (uint64_t)e.e_shstrndx * sizeof names))
    return NULL;
  for (uint64_t i = 1; i < e.e_shnum; i++) {
    if (!ckjit_pread_all(fd, &s, sizeof s, e.e_shoff + i * sizeof s) ||
        !ckjit_pread_all(fd, has, n, names.sh_offset + s.sh_name) || memcmp(has, name, n) != 0)
      continue;
    if (s.sh_offset > (uint64_t)st.st_size || s.sh_size > (uint64_t)st.st_size - s.sh_offset)
      return NULL;
    const char *at = (const char *)mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    *size = s.sh_size;
    return at == MAP_FAILED ? NULL : at + s.sh_offset;
  }
  return NULL;
}

#endif
