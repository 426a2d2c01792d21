/* elfwrite.h - writing an ELF64 little-endian relocatable: the stub object of a blob, and the object with a unit's
 * forwarding stubs. Neither needs a compiler or an assembler, and both are written thousands of times a build.
 *
 * The file is the header, the sections in order, and the section table. The caller fills in section headers as the
 * System V ABI has them; names and offsets, and the section of names itself, are worked out here. Thread safety: no
 * shared state.
 */
#ifndef CKJIT_ELFWRITE_H
#define CKJIT_ELFWRITE_H

#include "base.h"

#include <elf.h>

struct elf_part {
  const char *name;
  const void *data;  /* sh_size bytes; NULL: it takes no room in the file (.bss, or an empty section) */
  Elf64_Shdr header; /* but for sh_name and sh_offset */
};

/* Append the object to OUT, which is empty. PARTS are its N sections; the first is the null section, all zeros, so that
 * an index into PARTS is a section's index. The section of names becomes section N. Each section begins at a multiple
 * of its own alignment and of ALIGN. */
void elf_write(struct buf *out, uint16_t machine, const struct elf_part *parts, size_t n, size_t align);

#endif
