/* ck_jit_code.h - finds a kernel's code in an entry: the section of its fat binary.
 *
 * The entry of a kernel is an ELF file that has only sections and is for no machine
 * (compile/codeentry.h); that of a blob is a shared object. Both have the code in a section of the
 * same name. libc only, no allocation, no state, thread-safe.
 */
#ifndef CK_JIT_CODE_H
#define CK_JIT_CODE_H

#include "ck_jit_elf.h"
#include "ck_jit_protocol.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define CKJIT_CODE_HIP ".hip_fatbin"
#define CKJIT_CODE_CUDA ".nv_fatbin"
/* The name of a combination with texts: two names may have one hash. */
#define CKJIT_CODE_NAME ".ckjit.name"
enum { CKJIT_CODE_ALIGN = 4096 }; /* clang's, of .hip_fatbin; nvcc's is 16 */

/* The section NAME of the ELF file open at FD, which has FILE bytes. False: there is none. */
static inline bool ckjit_code_find(int fd, const char *name, uint64_t file, Elf64_Shdr *s) {
  Elf64_Ehdr e;
  Elf64_Shdr names;
  char has[16] = "";
  const size_t n = strlen(name) + 1;
  if (n > sizeof has || !ckjit_pread_all(fd, &e, sizeof e, 0) ||
      !ckjit_pread_all(fd, &names, sizeof names, e.e_shoff + (uint64_t)e.e_shstrndx * sizeof names))
    return false;
  for (uint64_t i = 1; i < e.e_shnum; i++)
    if (ckjit_pread_all(fd, s, sizeof *s, e.e_shoff + i * sizeof *s) &&
        ckjit_pread_all(fd, has, n, names.sh_offset + s->sh_name) && memcmp(has, name, n) == 0)
      return s->sh_offset <= file && s->sh_size <= file - s->sh_offset;
  return false;
}

/* Map the section NAME of the ELF file open at FD, for good. Returns its address, and its size in
 * *SIZE, which may be 0; NULL if there is no such section or it cannot be mapped. Maps the whole
 * file unchanged, because HIP looks up the file and offset of an address. */
static inline const void *ckjit_code_map(int fd, const char *name, uint64_t *size) {
  struct stat st;
  Elf64_Shdr s;
  if (fstat(fd, &st) || !ckjit_code_find(fd, name, (uint64_t)st.st_size, &s))
    return NULL;
  const char *at = (const char *)mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  *size = s.sh_size;
  return at == MAP_FAILED ? NULL : at + s.sh_offset;
}

/* Is the entry open at FD that of the combination NAME? It is if NAME has no text. */
static inline bool ckjit_code_is_of(int fd, const char *name) {
  size_t n = strlen(name), done = 0;
  char part[512];
  struct stat st;
  Elf64_Shdr s;
  if (ckjit_choices_len(name) == n)
    return true;
  if (fstat(fd, &st) || !ckjit_code_find(fd, CKJIT_CODE_NAME, (uint64_t)st.st_size, &s) ||
      s.sh_size != n)
    return false;
  for (size_t k; done < n; done += k) {
    k = n - done < sizeof part ? n - done : sizeof part;
    if (!ckjit_pread_all(fd, part, k, s.sh_offset + done) || memcmp(part, name + done, k) != 0)
      return false;
  }
  return true;
}

#endif
