/* codeentry.h - an entry without code for the host: a kernel's fat binary, or what kernels are made of.
 *
 * It is an ELF file of sections alone, for no machine, with the build id as a section too. Nothing in it is
 * relocated, so it needs neither a linker nor dlopen: a reader maps the file (abi/ck_jit_code.h).
 */
#ifndef CKJIT_COMPILE_CODEENTRY_H
#define CKJIT_COMPILE_CODEENTRY_H

#include "task.h"
#include "core/base/elf.h"

struct code_section {
  const char *name;
  /* an upper bound of the alignment that whoever reads the section may ask for; a power of two */
  unsigned align;
  /* BYTES, LEN of them, or if FILE is not NULL its content */
  const char *file, *bytes;
  size_t len;
};

/* Write OUTPUT, the entry of T with the N SECTIONS. */
bool codeentry_write(const struct compile_task *t, const char *output, const struct code_section *sections,
                     size_t n, char **err);
/* The same with the fat binary in the file FATBIN, in SECTION (CKJIT_CODE_HIP or CKJIT_CODE_CUDA). NULL: an empty section, which says that
 * the kernel is not to be had alone, and that all kernels of its unit or blob are to be asked for. */
bool codeentry_of_fatbin(const struct compile_task *t, const char *output, const char *section,
                         const char *fatbin, char **err);

/* Section NAME of the entry E, *LEN bytes with a NUL behind them. free() it; NULL: there is none. */
char *codeentry_section(const struct elf *e, const char *name, size_t *len);

#endif
