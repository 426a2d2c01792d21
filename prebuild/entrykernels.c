/* entrykernels.c - which kernels, functions that are __global__, a file has code of.
 *
 * HIP's section is a bundle of code objects (LLVM, clang/docs/ClangOffloadBundler.rst), each an ELF file with a descriptor NAME.kd for each
 * kernel. What CUDA's has is compressed by a method that is not documented, and so may be HIP's: then nothing is told. */
#include "entrykernels.h"
#include "entryfile.h"

#include <string.h>

enum { EM_GPU = 224 }; /* EM_AMDGPU */

static void read_code_object(void *names, const struct entry_code *code) {
  static const char descriptor[] = ".kd";
  struct elf e;
  struct elf_symtab syms;
  struct elf_symbol s;
  if (!elf_open(&e, code->data, code->size, NULL) || e.machine != EM_GPU ||
      (!elf_symtab(&e, SHT_SYMTAB, &syms) && !elf_symtab(&e, SHT_DYNSYM, &syms)))
    return;
  for (size_t i = 0; i < syms.count; i++)
    if (elf_symbol(&syms, i, &s) && s.section != SHN_UNDEF && s.type == STT_OBJECT &&
        str_ends(s.name, descriptor))
      argv_add_once(names, xstrndup(s.name, strlen(s.name) - strlen(descriptor)));
}

bool entry_kernels(struct argv *names, const char *file) {
  struct entry_file f;
  struct elf_section s;
  if (!entry_open(&f, file))
    return false;
  bool told = entry_section(&f, ".hip_fatbin", &s) && entry_bundle(&s, read_code_object, names);
  entry_close(&f);
  return told;
}
