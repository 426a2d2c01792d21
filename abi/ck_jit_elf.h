/* ck_jit_elf.h - is a file a complete shared object of this machine, and what is its build id?
 *
 * The reader takes any bytes: every offset is checked against the file before use. libc only, no allocation,
 * no state, thread-safe.
 */
#ifndef CK_JIT_ELF_H
#define CK_JIT_ELF_H

#include "ck_jit_abi.h"
#include "ck_jit_seal.h"

#include <elf.h>

/* Find the build id among N bytes of notes. Offsets are rounded from the start of each note, as in glibc: a
 * segment of 8-byte alignment (.note.gnu.property beside others) pads differently from one of 4. */
static inline bool ckjit_note_find(const unsigned char *notes, size_t n, size_t align,
                                   uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  size_t mask = align == 8 ? 7 : 3;
  while (n >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr h;
    memcpy(&h, notes, sizeof h);
    size_t desc = (sizeof h + (size_t)h.n_namesz + mask) & ~mask;
    if (desc > n || h.n_descsz > n - desc)
      return false;
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(notes + sizeof h, "GNU", 4) == 0 &&
        h.n_descsz == CKJIT_BUILD_ID_SIZE) {
      memcpy(id, notes + desc, CKJIT_BUILD_ID_SIZE);
      return true;
    }
    size_t next = (desc + h.n_descsz + mask) & ~mask;
    if (next > n)
      return false;
    notes += next;
    n -= next;
  }
  return false;
}

/* The build id of the shared object in the first SIZE bytes of FD. NULL and ID if it is a complete shared
 * object of this machine with a build id of ckjit's size, else what is wrong with it. */
static inline const char *ckjit_elf_read(int fd, uint64_t size, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  enum { MAX_SEGMENTS = 64, MAX_NOTES = 2048 };
  Elf64_Ehdr e;
  if (!ckjit_pread_all(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not an ELF file";
  if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB || e.e_machine != EM_X86_64 ||
      e.e_type != ET_DYN || e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phnum == 0 || e.e_phnum > MAX_SEGMENTS)
    return "is not a shared object of this machine";
  /* A linker writes the section headers last: with them in the file, nothing was cut off. */
  uint64_t sections = (uint64_t)e.e_shnum * e.e_shentsize;
  if (e.e_shoff > size || sections > size - e.e_shoff)
    return "is cut short";
  bool found = false;
  for (unsigned i = 0; i < e.e_phnum; i++) {
    Elf64_Phdr p;
    if (!ckjit_pread_all(fd, &p, sizeof p, e.e_phoff + i * sizeof p))
      return "is cut short";
    if (p.p_type != PT_NULL && (p.p_offset > size || p.p_filesz > size - p.p_offset))
      return "is cut short";
    if (p.p_type != PT_NOTE || found || p.p_filesz > MAX_NOTES)
      continue;
    unsigned char notes[MAX_NOTES];
    if (!ckjit_pread_all(fd, notes, p.p_filesz, p.p_offset))
      return "is cut short";
    found = ckjit_note_find(notes, p.p_filesz, p.p_align, id);
  }
  return found ? NULL : "has no build id of ckjit's";
}

#endif
