/* entryfile.h - an entry of the cache as a file, and its sections. Thread-safe. It never reads
 * outside a file, whatever that contains. */
#ifndef CKJIT_PREBUILD_ENTRYFILE_H
#define CKJIT_PREBUILD_ENTRYFILE_H

#include "core/base/elf.h"

struct entry_file {
  void *data; /* the whole file */
  size_t size;
  struct elf elf;
};

/* Map FILE. False: it is not a regular file, or not an ELF file. Call entry_close if it is true. */
bool entry_open(struct entry_file *f, const char *file);
void entry_close(struct entry_file *f);
/* Its section NAME, with contents. */
bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s);

#endif
