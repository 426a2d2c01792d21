/* elf.h - reads ELF64 little-endian objects and shared libraries in memory.
 *
 * Nothing is copied: every name and pointer returned points into the caller's buffer, which must
 * outlive its use. No input, however damaged or hostile, makes it read outside that buffer: offsets
 * and counts are checked when they are used, and an unterminated name reads as "". Source: System V
 * ABI, gABI chapters 4 and 5, including extended section numbering (an object compiled with
 * -ffunction-sections from a dispatcher with thousands of branches has more than 65,279 sections).
 * Thread safety: reads only.
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
  /* The section table, checked to be in the buffer; sections is 0 if there is none. */
  uint64_t table;
  size_t sections;
  /* the section with the section names; 0: none */
  size_t names;
};

struct elf_section {
  const char *name; /* "" if it has no name */
  /* size bytes; NULL if it has none in the file (SHT_NOBITS) or they are outside it */
  const unsigned char *data;
  uint64_t size, flags, entsize, address;
  uint32_t type, link, info;
};

struct elf_symbol {
  const char *name;
  uint64_t value, size;
  /* index of its section; SHN_UNDEF, SHN_ABS and SHN_COMMON as in the file */
  uint32_t section;
  uint8_t type; /* STT_FUNC … */
  uint8_t bind; /* STB_GLOBAL … */
  uint8_t visibility;
  /* st_other without the visibility: the bits of the machine */
  uint8_t other;
};

/* Do the bytes begin like an ELF64 little-endian file? 16 of them are enough. */
bool elf_magic(const void *data, size_t size);

/* Open SIZE bytes. False with *ERR (free() it), the reason; ERR may be NULL. */
bool elf_open(struct elf *e, const void *data, size_t size, char **err);

/* Get section INDEX; false if there is none. */
bool elf_section(const struct elf *e, size_t index, struct elf_section *out);

/* Find the first section called NAME at or after index *INDEX (0 to start), and set *INDEX to its
 * index. */
bool elf_find(const struct elf *e, const char *name, size_t *index, struct elf_section *out);

/* Find the first section NAME of the object in FILE. Returns the file's bytes: free() them after
 * the last use of *OUT. NULL if FILE cannot be read (errno is then not 0), is not an object, or has
 * no such section with contents. */
char *elf_read_section(const char *file, const char *name, struct elf_section *out);

/* A symbol table. Start with elf_symtab, then call elf_symbol for 0 … count-1 (0 is the null
 * symbol). */
struct elf_symtab {
  const struct elf *elf;
  struct elf_section table, strings, extended;
  size_t count;
};

/* Find the first table of TYPE, SHT_SYMTAB or SHT_DYNSYM; false if there is none. */
bool elf_symtab(const struct elf *e, uint32_t type, struct elf_symtab *out);
bool elf_symbol(const struct elf_symtab *t, size_t index, struct elf_symbol *out);

/* Is FILE an ELF64 little-endian file of TYPE, ET_REL or ET_DYN? Its head alone is read. */
bool elf_file_is(const char *file, uint16_t type);

/* All symbols of a file: elf_symbols_open, then elf_symbols_next until it is false, then
 * elf_symbols_close. A file that cannot be read, is not an object or has no such table has none.
 * Texts of a symbol belong to the file, until the end. */
struct elf_symbols {
  char *bytes;
  struct elf elf;
  struct elf_symtab table;
  size_t next;
};
void elf_symbols_open(struct elf_symbols *s, const char *file, uint32_t type);
bool elf_symbols_next(struct elf_symbols *s, struct elf_symbol *out);
void elf_symbols_close(struct elf_symbols *s);

#endif
