/* elf.h - reading ELF64 little-endian objects and shared libraries that lie in memory.
 *
 * Nothing is copied: every name and pointer handed out points into the caller's buffer, which must outlive
 * its use. No input, however damaged or hostile, makes it read outside of that buffer: offsets and counts are
 * checked if they are used, and a name without its end reads as "". Source: System V ABI, gABI chapters 4
 * and 5, extended section numbering included (an object made with -ffunction-sections from a dispatcher of
 * thousands of branches has more than 65,279 sections). Thread safety: reads only.
 */
#ifndef CKJIT_ELF_H
#define CKJIT_ELF_H

#include "base.h"

#include <elf.h>

struct elf {
  const unsigned char *data;
  size_t size;
  uint16_t type;    /* ET_REL, ET_DYN … */
  uint16_t machine; /* EM_X86_64 … */
  /* the section table, checked to lie in the buffer; sections is 0 if there is none */
  uint64_t table;
  size_t sections;
  size_t names; /* the section that holds the section names, 0: none */
};

struct elf_section {
  const char *name; /* "" if it has none */
  const unsigned char
      *data; /* size bytes; NULL if it takes no room in the file (SHT_NOBITS) or lies outside */
  uint64_t size, flags, entsize, address;
  uint32_t type, link, info;
};

struct elf_symbol {
  const char *name;
  uint64_t value, size;
  uint32_t section; /* its section's index; SHN_UNDEF, SHN_ABS and SHN_COMMON as in the file */
  uint8_t type;     /* STT_FUNC … */
  uint8_t bind;     /* STB_GLOBAL … */
  uint8_t visibility;
};

/* the bytes begin as ELF64 little-endian does; 16 of them are enough to ask */
bool elf_magic(const void *data, size_t size);

/* Look at SIZE bytes. false with *ERR (free() it) saying what is wrong with them; ERR may be NULL. */
bool elf_open(struct elf *e, const void *data, size_t size, char **err);

/* section INDEX; false if there is none */
bool elf_section(const struct elf *e, size_t index, struct elf_section *out);

/* the first section called NAME at or after index *INDEX (0 to start), *INDEX becoming its index */
bool elf_find(const struct elf *e, const char *name, size_t *index, struct elf_section *out);

/* The first section NAME of the object in FILE, whose bytes are the result: free() them behind the last use of *OUT.
 * NULL if FILE cannot be read (errno is then not 0), is no object, or has no such section with bytes in it. */
char *elf_read_section(const char *file, const char *name, struct elf_section *out);

/* One symbol table. Start with elf_symtab, then elf_symbol for 0 … count-1 (0 is the null symbol). */
struct elf_symtab {
  const struct elf *elf;
  struct elf_section table, strings, extended;
  size_t count;
};

/* the first table of TYPE, SHT_SYMTAB or SHT_DYNSYM; false if there is none */
bool elf_symtab(const struct elf *e, uint32_t type, struct elf_symtab *out);
bool elf_symbol(const struct elf_symtab *t, size_t index, struct elf_symbol *out);

#endif
