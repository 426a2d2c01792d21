/* entryfile.h - an entry of the cache as a file: its sections, and the code objects of a HIP bundle. Thread-safe; whatever a file holds, nothing
 * outside of it is read. */
#ifndef CKJIT_PREBUILD_ENTRYFILE_H
#define CKJIT_PREBUILD_ENTRYFILE_H

#include "core/base/elf.h"

struct entry_file {
  void *data; /* the whole file */
  size_t size;
  struct elf elf;
};

/* Map FILE, a regular one and no link. False: it is none, or no ELF file. entry_close afterwards, if it is true. */
bool entry_open(struct entry_file *f, const char *file);
void entry_close(struct entry_file *f);
/* Its section NAME, with contents. */
bool entry_section(const struct entry_file *f, const char *name, struct elf_section *s);

/* A bundle is a row of code objects, with the name of a target each (LLVM, clang/docs/ClangOffloadBundler.rst). */
struct entry_code {
  const char *target; /* no NUL behind it */
  size_t target_len;
  const unsigned char *data; /* NULL if it is not inside the file */
  size_t size;
};

/* Hand each code object of the bundle in SECTION to EACH. False: it is none, or is damaged; what can be read is handed out. */
bool entry_bundle(const struct elf_section *section, void (*each)(void *data, const struct entry_code *code),
                  void *data);
/* Is it one that is compressed? */
bool entry_bundle_is_compressed(const struct elf_section *section);

#endif
