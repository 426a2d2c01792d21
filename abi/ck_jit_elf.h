/* ck_jit_elf.h - checks that an ELF file of the cache is complete and for this machine or none, and
 * reads its build id.
 *
 * The reader accepts any bytes: it checks every offset against the file before use. libc only, no
 * allocation, no state, thread-safe.
 */
#ifndef CK_JIT_ELF_H
#define CK_JIT_ELF_H

#include "ck_jit_artefact.h"
#include "ck_jit_machine.h"
#include "ck_jit_note.h"
#include "ck_jit_seal.h"

#include <elf.h>

/* Is it code that may be loaded here? A library loads only code of its machine. A program of ckjit
 * (CKJIT_ANY_MACHINE) may compile for another machine: the build id covers the compiler, and so the
 * machine. */
static inline bool ckjit_elf_machine(uint16_t machine) {
#ifdef CKJIT_ANY_MACHINE
  return ckjit_machine_of(machine) != NULL;
#else
  return machine == CKJIT_OWN.elf;
#endif
}

/* The build id of ckjit's size among N bytes of notes, and the KIND after it. */
static inline bool ckjit_note_find(const unsigned char *notes, size_t n, size_t align,
                                   uint8_t id[CKJIT_BUILD_ID_SIZE], enum ckjit_kind *kind) {
  struct ckjit_note note;
  while (ckjit_note_next(&notes, &n, align, &note))
    if (note.type == NT_GNU_BUILD_ID && note.owner_len == sizeof ELF_NOTE_GNU &&
        memcmp(note.owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
        note.desc_len == CKJIT_NOTE_SIZE) {
      memcpy(id, note.desc, CKJIT_BUILD_ID_SIZE);
      *kind = (enum ckjit_kind)note.desc[CKJIT_BUILD_ID_SIZE];
      return true;
    }
  return false;
}

/* Locate part I of an ELF file in TABLE, its segments (SEGMENTS) or sections: N bytes at OFFSET.
 * True if the part holds notes. */
static inline bool ckjit_elf_part(const unsigned char *table, bool segments, unsigned i,
                                  uint64_t *offset, uint64_t *n, uint64_t *align) {
  Elf64_Phdr p;
  Elf64_Shdr s;
  if (segments) {
    memcpy(&p, table + i * sizeof p, sizeof p);
    *offset = p.p_offset, *n = p.p_type == PT_NULL ? 0 : p.p_filesz, *align = p.p_align;
    return p.p_type == PT_NOTE;
  }
  memcpy(&s, table + i * sizeof s, sizeof s);
  *offset = s.sh_offset, *n = s.sh_size, *align = s.sh_addralign;
  return s.sh_type == SHT_NOTE;
}

/* Read the build id in the first SIZE bytes of FD. NULL, ID and KIND if the file is complete and
 * has a build id of ckjit's size: a shared object of this machine, or a file of sections for none
 * (compile/codeentry.h). Otherwise the reason. */
static inline const char *ckjit_elf_read(int fd, uint64_t size, uint8_t id[CKJIT_BUILD_ID_SIZE],
                                         enum ckjit_kind *kind) {
  enum { MAX_PARTS = 64, MAX_NOTES = 2048 };
  Elf64_Ehdr e;
  if (!ckjit_pread_all(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not an ELF file";
  bool object =
      e.e_type == ET_DYN && ckjit_elf_machine(e.e_machine) && e.e_phentsize == sizeof(Elf64_Phdr);
  bool code = e.e_type == ET_REL && e.e_machine == EM_NONE;
  const unsigned parts = object ? e.e_phnum : e.e_shnum;
  if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
      (!object && !code) || parts == 0 || parts > MAX_PARTS ||
      (e.e_shnum && e.e_shentsize != sizeof(Elf64_Shdr)))
    return "is not a shared object of this machine";
  /* A linker writes the section headers last: if they are in the file, nothing was cut off. */
  uint64_t sections = (uint64_t)e.e_shnum * e.e_shentsize;
  if (e.e_shoff > size || sections > size - e.e_shoff)
    return "is truncated";
  bool found = false;
  unsigned char table[MAX_PARTS * sizeof(Elf64_Shdr)], notes[MAX_NOTES];
  if (!ckjit_pread_all(fd, table, parts * (object ? sizeof(Elf64_Phdr) : sizeof(Elf64_Shdr)),
                       object ? e.e_phoff : e.e_shoff))
    return "is truncated";
  for (unsigned i = 0; i < parts; i++) {
    uint64_t offset, n, align;
    bool is_notes = ckjit_elf_part(table, object, i, &offset, &n, &align);
    if (n && (offset > size || n > size - offset))
      return "is truncated";
    if (found || !is_notes || n > MAX_NOTES)
      continue;
    if (!ckjit_pread_all(fd, notes, n, offset))
      return "is truncated";
    found = ckjit_note_find(notes, n, align, id, kind);
  }
  return found ? NULL : "has no build id of ckjit's";
}

#endif
