/* ck_jit_elf.h - is an ELF file one of the cache: complete, and for this machine or none; and what is its build id?
 *
 * The reader takes any bytes: every offset is checked against the file before use. libc only, no allocation,
 * no state, thread-safe.
 */
#ifndef CK_JIT_ELF_H
#define CK_JIT_ELF_H

#include "ck_jit_artefact.h"
#include "ck_jit_machine.h"
#include "ck_jit_note.h"
#include "ck_jit_seal.h"

#include <elf.h>

/* Is it code that may be loaded here? A library loads what is of its own machine. A program of ckjit (CKJIT_ANY_MACHINE) may compile for
 * another than it runs on: the build id has the compiler in it, and so the machine. */
static inline bool ckjit_elf_machine(uint16_t machine) {
#ifdef CKJIT_ANY_MACHINE
  return ckjit_machine_of(machine) != NULL;
#else
  return machine == CKJIT_OWN.elf;
#endif
}

/* The build id of ckjit's size among N bytes of notes, and the KIND behind it. */
static inline bool ckjit_note_find(const unsigned char *notes, size_t n, size_t align,
                                   uint8_t id[CKJIT_BUILD_ID_SIZE], enum ckjit_kind *kind) {
  struct ckjit_note note;
  while (ckjit_note_next(&notes, &n, align, &note))
    if (note.type == NT_GNU_BUILD_ID && note.owner_len == sizeof ELF_NOTE_GNU &&
        memcmp(note.owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note.desc_len == CKJIT_NOTE_SIZE) {
      memcpy(id, note.desc, CKJIT_BUILD_ID_SIZE);
      *kind = (enum ckjit_kind)note.desc[CKJIT_BUILD_ID_SIZE];
      return true;
    }
  return false;
}

/* Notes in a file: N bytes at OFFSET. */
struct ckjit_notes {
  uint64_t offset, n, align;
};

/* The notes of part I of the file open at FD with head E: of segment I of a shared object, of section I of a file of sections. False: they
 * cannot be read, or are not whole within SIZE bytes. Another part than notes has N = 0. */
static inline bool ckjit_elf_notes(int fd, uint64_t size, const Elf64_Ehdr *e, unsigned i,
                                   struct ckjit_notes *notes) {
  Elf64_Phdr p;
  Elf64_Shdr s;
  uint64_t n, offset;
  bool is_note;
  if (e->e_type == ET_DYN) {
    if (!ckjit_pread_all(fd, &p, sizeof p, e->e_phoff + i * sizeof p))
      return false;
    n = p.p_type == PT_NULL ? 0 : p.p_filesz, offset = p.p_offset, is_note = p.p_type == PT_NOTE;
    notes->align = p.p_align;
  } else {
    if (!ckjit_pread_all(fd, &s, sizeof s, e->e_shoff + i * sizeof s))
      return false;
    n = s.sh_size, offset = s.sh_offset, is_note = s.sh_type == SHT_NOTE;
    notes->align = s.sh_addralign;
  }
  notes->offset = offset;
  notes->n = is_note ? n : 0;
  return n == 0 || (offset <= size && n <= size - offset);
}

/* The build id of what is in the first SIZE bytes of FD. NULL, ID and KIND if it is complete and has a build id of ckjit's size: a shared object
 * of this machine, or a file of sections for none (compile/codeentry.h). Else what is wrong with it. */
static inline const char *ckjit_elf_read(int fd, uint64_t size, uint8_t id[CKJIT_BUILD_ID_SIZE],
                                         enum ckjit_kind *kind) {
  enum { MAX_PARTS = 64, MAX_NOTES = 2048 };
  Elf64_Ehdr e;
  if (!ckjit_pread_all(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not an ELF file";
  bool object = e.e_type == ET_DYN && ckjit_elf_machine(e.e_machine) && e.e_phentsize == sizeof(Elf64_Phdr);
  bool code = e.e_type == ET_REL && e.e_machine == EM_NONE;
  const unsigned parts = object ? e.e_phnum : e.e_shnum;
  if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB || (!object && !code) ||
      parts == 0 || parts > MAX_PARTS || (e.e_shnum && e.e_shentsize != sizeof(Elf64_Shdr)))
    return "is not a shared object of this machine";
  /* A linker writes the section headers last: with them in the file, nothing was cut off. */
  uint64_t sections = (uint64_t)e.e_shnum * e.e_shentsize;
  if (e.e_shoff > size || sections > size - e.e_shoff)
    return "is truncated";
  bool found = false;
  for (unsigned i = 0; i < parts; i++) {
    struct ckjit_notes at;
    unsigned char notes[MAX_NOTES];
    if (!ckjit_elf_notes(fd, size, &e, i, &at))
      return "is truncated";
    if (found || at.n == 0 || at.n > MAX_NOTES)
      continue;
    if (!ckjit_pread_all(fd, notes, at.n, at.offset))
      return "is truncated";
    found = ckjit_note_find(notes, at.n, at.align, id, kind);
  }
  return found ? NULL : "has no build id of ckjit's";
}

#endif
