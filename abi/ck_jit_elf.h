/* ck_jit_elf.h - is a file a complete shared object of this machine, and what is its build id?
 *
 * The reader takes any bytes: every offset is checked against the file before use. libc only, no allocation,
 * no state, thread-safe.
 */
#ifndef CK_JIT_ELF_H
#define CK_JIT_ELF_H

#include "ck_jit_abi.h"
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

/* The build id of ckjit's size among N bytes of notes. */
static inline bool ckjit_note_find(const unsigned char *notes, size_t n, size_t align,
                                   uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct ckjit_note note;
  while (ckjit_note_next(&notes, &n, align, &note))
    if (note.type == NT_GNU_BUILD_ID && note.owner_len == sizeof ELF_NOTE_GNU &&
        memcmp(note.owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note.desc_len == CKJIT_BUILD_ID_SIZE) {
      memcpy(id, note.desc, CKJIT_BUILD_ID_SIZE);
      return true;
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
  if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
      !ckjit_elf_machine(e.e_machine) || e.e_type != ET_DYN || e.e_phentsize != sizeof(Elf64_Phdr) ||
      e.e_phnum == 0 || e.e_phnum > MAX_SEGMENTS)
    return "is not a shared object of this machine";
  /* A linker writes the section headers last: with them in the file, nothing was cut off. */
  uint64_t sections = (uint64_t)e.e_shnum * e.e_shentsize;
  if (e.e_shoff > size || sections > size - e.e_shoff)
    return "is truncated";
  bool found = false;
  Elf64_Phdr segments[MAX_SEGMENTS];
  if (!ckjit_pread_all(fd, segments, e.e_phnum * sizeof *segments, e.e_phoff))
    return "is truncated";
  for (unsigned i = 0; i < e.e_phnum; i++) {
    const Elf64_Phdr p = segments[i];
    if (p.p_type != PT_NULL && (p.p_offset > size || p.p_filesz > size - p.p_offset))
      return "is truncated";
    if (p.p_type != PT_NOTE || found || p.p_filesz > MAX_NOTES)
      continue;
    unsigned char notes[MAX_NOTES];
    if (!ckjit_pread_all(fd, notes, p.p_filesz, p.p_offset))
      return "is truncated";
    found = ckjit_note_find(notes, p.p_filesz, p.p_align, id);
  }
  return found ? NULL : "has no build id of ckjit's";
}

#endif
