/* elfwrite.h - writes an ELF64 little-endian relocatable: the stub object of a blob, and the object
 * with a unit's forwarding stubs. Both are written thousands of times per build; neither needs a
 * compiler or an assembler.
 *
 * The file consists of the header, the sections in order, and the section table. The caller fills
 * in section headers as in the System V ABI; names, offsets, and the section of names are computed
 * here. Thread safety: no shared state.
 */
#ifndef CKJIT_ELFWRITE_H
#define CKJIT_ELFWRITE_H

#include "base.h"

#include <elf.h>

struct elf_part {
  const char *name;
  /* sh_size bytes; NULL: no contents in the file (.bss, or an empty section) */
  const void *data;
  Elf64_Shdr header; /* without sh_name and sh_offset */
};

/* Append the object to OUT, which must be empty. PARTS are its N sections; the first is the null
 * section, all zeros, so that an index into PARTS is a section index. The section of names becomes
 * section N. Each section is aligned to its own alignment and to ALIGN. */
void elf_write(struct buf *out, uint16_t machine, const struct elf_part *parts, size_t n,
               size_t align);

/* The last sections of an object that a linker reads. Without .note.GNU-stack, which is empty,
 * GNU ld makes the stack of the whole library executable. */
struct elf_last {
  const void *symbols, *names, *property; /* .note.gnu.property: what the code may be linked with */
  size_t symbols_size, names_size, property_size; /* 0: there is no such note */
  uint32_t locals; /* symbols that are not global, which come first */
};
enum {
  ELF_NOTE,
  ELF_SYMTAB,
  ELF_STRTAB,
  ELF_PROPERTY,
  ELF_LAST
}; /* their places after the others */
/* The same with the sections LAST after the N of PARTS, which has room for ELF_LAST more. */
void elf_write_last(struct buf *out, uint16_t machine, struct elf_part *parts, size_t n,
                    const struct elf_last *last, size_t align);

#endif
