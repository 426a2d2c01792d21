/* entryfile.h - an entry of the cache as a file, and its sections. Thread-safe. It never reads
 * outside a file, whatever that contains. */
#ifndef CKJIT_PREBUILD_ENTRYFILE_H
#define CKJIT_PREBUILD_ENTRYFILE_H

#include "core/base/elf.h"

struct entry_file {
  void *data; /* the whole file */
  bool mapped;
  size_t size;
  struct elf elf;
};

/* Map FILE. False: it is not a regular file, or not an ELF file. Call entry_close if it is true. */
bool entry_open(struct entry_file *f, const char *file);
void entry_close(struct entry_file *f);
/* Its section NAME, with contents. */
bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s);

/* code for one architecture */
struct entry_code {
  char arch[64]; /* "gfx942:xnack-", "sm_90", "compute_90" */
  /* a code object, cubin or PTX; NULL: it cannot be read, because zlib has compressed it */
  const void *bytes;
  size_t size;
};
/* Call EACH for each piece of code for GPUs in F. False: F has such code, and not all of it can be
 * read. An `a` at the end of an architecture of NVIDIA's is in the code itself, and not in ARCH. */
bool entry_codes(const struct entry_file *f,
                 void (*each)(const struct entry_code *code, void *user), void *user);

#endif
