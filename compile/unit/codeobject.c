/* codeobject.c - see codeobject.h.
 *
 * Each loaded code object has its own variables. A variable that the device writes is in a writable
 * section, whether its name is global or not. A variable that the host writes, through
 * hipMemcpyToSymbol, has a global name; if it is __constant__, clang 22 puts it into read-only
 * data. There are also constants that nobody writes: those of a class template, of which
 * ComposableKernel has many (`static constexpr index_t MWaves = …`), are weak symbols. So a weak
 * read-only symbol counts only if the text has any variable that the host can write. Three things
 * do not count: a kernel's descriptor, the variable that devicetext_select leaves, and the one byte
 * by which clang has recognised each unit since HIP 6.
 *
 * A kernel that calls functions by their addresses may be given one that another kernel took. It has
 * the registers that the functions of its own code object need: gfx90a, a function of 102, 41 instead
 * of 156. Metadata of code objects before version 5 lack the word; there such a kernel has a stack of
 * 16384 bytes or more.
 *
 * Variables at namespace scope exist whichever kernel is compiled, so variables of other kernels
 * count too: the kernels of a unit with such variables are compiled together.
 */
#include "codeobject.h"
#include "core/base/elf.h"
#include "core/cxx/devicetext.h"
#include "core/device/resources.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

#define DESCRIPTOR ".kd"
#define CUID "__hip_cuid_"

const char codeobject_shares[] =
    "the unit has variables that other kernels or the host may write, or the kernel calls functions by their addresses";

/* May the variable S be written by others than the kernel? */
static bool is_shared(const struct elf *e, const struct elf_symbol *s, bool constants) {
  struct elf_section at;
  if (s->type != STT_OBJECT || s->section == SHN_UNDEF || str_starts(s->name, CUID) ||
      str_ends(s->name, DESCRIPTOR) || str_ends(s->name, DEVICETEXT_SELECTED))
    return false;
  return s->bind == STB_GLOBAL || (s->bind == STB_WEAK && constants) || !elf_section(e, s->section, &at) ||
         at.flags & SHF_WRITE;
}

static bool is_descriptor_of(const char *symbol, const char *kernel) {
  size_t n = strlen(kernel);
  return strncmp(symbol, kernel, n) == 0 && strcmp(symbol + n, DESCRIPTOR) == 0;
}

/* Does a kernel in the SIZE bytes? The others have no bodies. */
static bool calls_by_address(const char *bytes, size_t size) {
  static const char says[] = "\xb3.uses_dynamic_stack\xc3"; /* a message pack's text, and true */
  enum { STACK = 16384 };
  struct resources_list all = {0};
  bool calls = memmem(bytes, size, says, sizeof says - 1);
  resources_read(&all, "", bytes, size);
  for (size_t i = 0; i < all.n; i++)
    calls |= all.list[i].of[RESOURCE_STACK] >= STACK;
  resources_free(&all);
  return calls;
}

bool codeobject_stands_alone(const char *bytes, size_t size, const char *kernel, bool constants, bool marked,
                             const char **why) {
  struct elf e;
  struct elf_symtab symbols;
  struct elf_symbol s;
  bool found = false, selected = false, shared = false;
  *why = "the compiler's output is not a code object with a symbol table";
  if (!elf_open(&e, bytes, size, NULL) || e.machine != EM_AMDGPU || !elf_symtab(&e, SHT_SYMTAB, &symbols))
    return false;
  for (size_t i = 0; i < symbols.count; i++) {
    if (!elf_symbol(&symbols, i, &s))
      continue;
    found |= s.section != SHN_UNDEF && is_descriptor_of(s.name, kernel);
    selected |= s.section != SHN_UNDEF && str_ends(s.name, DEVICETEXT_SELECTED);
    shared |= is_shared(&e, &s, constants);
  }
  *why = !found                ? "its text has no such kernel"
         : marked && !selected ? "its text declares a kernel of that name, but ckjit finds no body for it"
         : shared || calls_by_address(bytes, size) ? codeobject_shares
                                                   : NULL;
  return !*why;
}
