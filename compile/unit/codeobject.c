/* codeobject.c - see codeobject.h.
 *
 * Each code object that is loaded has variables of its own. A variable that the host can address is registered by its
 * name, so it is a global symbol; one that the device writes is in a section that can be written to, whether it has
 * a global name or is a static one. Constant data that no one can address has neither. Not counted are a kernel's
 * descriptor, what devicetext_select leaves, and the one byte that clang puts into each unit since HIP 6 to recognise
 * it by.
 *
 * A unit's variables are all there whichever kernel is compiled, so those of others count too: the kernels of a unit
 * that has any are compiled together.
 */
#include "codeobject.h"
#include "core/base/elf.h"
#include "core/cxx/devicetext.h"

#include <string.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

#define DESCRIPTOR ".kd"
#define CUID "__hip_cuid_"

/* May the variable S belong to more than the kernel? */
static bool is_shared(const struct elf *e, const struct elf_symbol *s) {
  struct elf_section at;
  if (s->type != STT_OBJECT || s->section == SHN_UNDEF || str_starts(s->name, CUID) ||
      str_ends(s->name, DESCRIPTOR) || str_ends(s->name, DEVICETEXT_SELECTED))
    return false;
  return s->bind != STB_LOCAL || !elf_section(e, s->section, &at) || at.flags & SHF_WRITE;
}

static bool is_descriptor_of(const char *symbol, const char *kernel) {
  size_t n = strlen(kernel);
  return strncmp(symbol, kernel, n) == 0 && strcmp(symbol + n, DESCRIPTOR) == 0;
}

bool codeobject_stands_alone(const char *bytes, size_t size, const char *kernel, const char **why) {
  struct elf e;
  struct elf_symtab symbols;
  struct elf_symbol s;
  bool found = false, selected = false, shared = false;
  *why = "what the compiler made is no code object with a symbol table";
  if (!elf_open(&e, bytes, size, NULL) || e.machine != EM_AMDGPU || !elf_symtab(&e, SHT_SYMTAB, &symbols))
    return false;
  for (size_t i = 0; i < symbols.count; i++) {
    if (!elf_symbol(&symbols, i, &s))
      continue;
    found |= s.section != SHN_UNDEF && is_descriptor_of(s.name, kernel);
    selected |= s.section != SHN_UNDEF && str_ends(s.name, DEVICETEXT_SELECTED);
    shared |= is_shared(&e, &s);
  }
  *why = !found      ? "its text has no such kernel"
         : !selected ? "its text has a kernel of that name, but no body that is known to be its"
         : shared    ? "the unit has variables that other kernels may write, or the host address"
                     : NULL;
  return !*why;
}
