/* entrykernels.c - which kernels, functions that are __global__, a file has code of.
 *
 * HIP's section is a bundle of code objects (LLVM, clang/docs/ClangOffloadBundler.rst), each an ELF
 * file with a descriptor NAME.kd for each kernel. Code that zlib has compressed is not read, and
 * CUDA's may be compiled when a kernel is launched. Then the host side shows the kernels:
 *
 *   clang   makes a function for each kernel whose name has __device_stub__ before the kernel's
 *           own: _Z21__device_stub__kentryPf.
 *   nvcc    makes a function of the kernel's name, and has the name as a string, to register it by.
 *           No other function has one, unless the blob has its mangled name as a string itself.
 */
#include "entrykernels.h"
#include "entryfile.h"
#include "core/base/intern.h"
#include "core/device/bundle.h"
#include "abi/ck_jit_code.h"

enum { EM_GPU = 224 }; /* EM_AMDGPU */

static void read_code_object(const struct entry_code *code, void *names) {
  static const char descriptor[] = ".kd";
  struct elf e;
  struct elf_symtab syms;
  struct elf_symbol s;
  if (!code->bytes || !elf_open(&e, code->bytes, code->size, NULL) || e.machine != EM_GPU ||
      (!elf_symtab(&e, SHT_SYMTAB, &syms) && !elf_symtab(&e, SHT_DYNSYM, &syms)))
    return;
  for (size_t i = 0; i < syms.count; i++)
    if (elf_symbol(&syms, i, &s) && s.section != SHN_UNDEF && s.type == STT_OBJECT &&
        str_ends(s.name, descriptor))
      argv_add_once(names, xstrndup(s.name, strlen(s.name) - strlen(descriptor)));
}

/* The kernel of clang's STUB; free() it. NULL: it is not a stub. */
static char *of_stub(const char *stub) {
  static const char mark[] = "__device_stub__";
  const size_t n = sizeof mark - 1;
  const char *at = strstr(stub, mark), *digits = at;
  while (at && digits > stub && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  size_t length = at ? strtoul(digits, NULL, 10) : 0;
  if (!at)
    return NULL;
  if (at == stub) /* extern "C" */
    return xstrdup(at + n);
  return length > n ? xasprintf("%.*s%zu%s", (int)(digits - stub), stub, length - n, at + n) : NULL;
}

/* Append to NAMES the kernels that the host side registers; false if it registers none by names in
 * the file. */
static bool read_host(struct argv *names, const struct entry_file *f, bool cuda) {
  struct elf_symtab syms;
  struct elf_symbol s;
  struct elf_section rodata;
  autofree_intern strings = {0};
  if (!elf_symtab(&f->elf, SHT_SYMTAB, &syms) || (cuda && !entry_section(f, ".rodata", &rodata)))
    return false;
  const size_t before = names->n;
  for (size_t at = 0, n; cuda && at < rodata.size; at += n + 1) {
    n = strnlen((const char *)rodata.data + at, rodata.size - at);
    if (n)
      intern_bytes(&strings, rodata.data + at, n);
  }
  for (size_t i = 0; i < syms.count; i++)
    if (elf_symbol(&syms, i, &s) && s.section != SHN_UNDEF && s.type == STT_FUNC) {
      char *kernel = !cuda                                       ? of_stub(s.name)
                     : intern_find(&strings, s.name) != SIZE_MAX ? xstrdup(s.name)
                                                                 : NULL;
      if (kernel)
        argv_add_once(names, kernel);
    }
  return names->n > before;
}

bool entry_kernels(struct argv *names, const char *file) {
  struct entry_file f;
  struct elf_section s;
  if (!entry_open(&f, file))
    return false;
  bool hip = entry_section(&f, CKJIT_CODE_HIP, &s),
       told = hip && entry_codes(&f, read_code_object, names);
  if (!hip) /* of CUDA, or of a late HIP unit without its kernels */
    told = read_host(names, &f, true) || read_host(names, &f, false);
  else if (!told && bundle_is_compressed(s.data, s.size))
    told = read_host(names, &f, false);
  entry_close(&f);
  return told;
}
