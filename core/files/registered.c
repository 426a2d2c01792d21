/* registered.c - see registered.h.
 *
 * For CUDA the names are in a section. For HIP only the compiler knows which templates a unit
 * instantiates, and it shows them in the object: clang generates a function that calls
 * __hipRegisterFunction for each kernel, with the kernel's mangled name, a string, as an argument.
 * The symbols of the object are no substitute: a static kernel's device name ends with the cuid,
 * the host's symbol does not. So the relocations of that function are read in order: a string, then
 * the call that takes it. With -mcmodel=large, which aiter's modules are compiled with, the address
 * of __hipRegisterFunction is kept in a register, and only its first call is visible: if nothing
 * but kernels is registered, the strings are still their names. Code of another form gives no
 * names, and the unit is lazy without them.
 *
 * Sources: clang's lib/CodeGen/CGCUDANV.cpp, makeRegisterGlobalsFn(); the relocations of System V's
 * ABI for x86-64 and AArch64.
 */
#include "registered.h"
#include "abi/ck_jit_machine.h"
#include "core/cc/gpucalls.h"

/* a function of the object */
struct code {
  uint32_t section;
  uint64_t start, end;
};

struct reading {
  const struct elf *e;
  struct elf_symtab symbols;
  struct argv *kernels;
  const char *string; /* without a call so far */
  /* only some strings, or none, have a visible call */
  bool odd;
  struct argv strings; /* each once */
  /* variables are registered, too, or a string is repeated */
  bool others;
};

/* Is it a function that registers? Where the compiler optimises, the second is inlined into the
 * first. */
static bool registers(const struct elf_symbol *s) {
  return s->type == STT_FUNC && s->section != SHN_UNDEF &&
         (strcmp(s->name, "__hip_module_ctor") == 0 ||
          strcmp(s->name, "__hip_register_globals") == 0);
}

/* The string whose address RELA stores; NULL: none. */
static const char *string_at(const struct reading *r, const Elf64_Rela *rela,
                             const struct elf_symbol *s) {
  uint32_t type = ELF64_R_TYPE(rela->r_info);
  const struct ckjit_machine *m = ckjit_machine_of(r->e->machine);
  bool behind = m && type && (type == m->behind[0] || type == m->behind[1]);
  uint64_t at = s->value + (uint64_t)rela->r_addend + (behind ? 4 : 0);
  struct elf_section section;
  bool in = s->section != SHN_UNDEF && s->section < SHN_LORESERVE &&
            elf_section(r->e, s->section, &section) && section.flags & SHF_STRINGS &&
            section.data && at < section.size && memchr(section.data + at, 0, section.size - at);
  return in ? (const char *)section.data + at : NULL;
}

static void take(struct reading *r, const Elf64_Rela *rela) {
  struct elf_symbol s;
  if (!elf_symbol(&r->symbols, ELF64_R_SYM(rela->r_info), &s))
    return;
  const char *string = string_at(r, rela, &s);
  bool call = str_starts(s.name, "__hipRegister") && strcmp(s.name, "__hipRegisterFatBinary") != 0;
  if (string) {
    if (!r->strings.n || strcmp(r->strings.args[r->strings.n - 1], string) != 0) {
      r->others |= argv_has(&r->strings, string);
      argv_add(&r->strings, string);
    }
    r->odd |= r->string && strcmp(r->string, string) != 0;
    r->string = string;
  } else if (call) {
    bool function = strcmp(s.name, "__hipRegisterFunction") == 0;
    r->odd |= !r->string;
    r->others |= !function;
    if (r->string && function)
      argv_add(r->kernels, r->string);
    r->string = NULL;
  }
}

static void read_code(struct reading *r, const struct code *code) {
  struct elf_section section;
  for (size_t i = 0; i < r->e->sections; i++) {
    if (!elf_section(r->e, i, &section) || section.type != SHT_RELA ||
        section.info != code->section || !section.data)
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela rela;
      memcpy(&rela, section.data + at, sizeof rela);
      if (rela.r_offset >= code->start && rela.r_offset < code->end)
        take(r, &rela);
    }
  }
  r->odd |= r->string != NULL;
  r->string = NULL;
}

/* Read the section of names. */
static void read_names(const struct elf *object, struct argv *kernels) {
  struct elf_section s;
  size_t at = 0, len;
  bool found = elf_find(object, REGISTERED_NAMES, &at, &s) && s.data;
  for (const char *p = found ? (const char *)s.data : "", *end = found ? p + s.size : p; p < end;
       p += len + 1) {
    len = strnlen(p, (size_t)(end - p));
    if (len && p + len < end)
      argv_add(kernels, p);
  }
}

void registered_kernels(struct argv *kernels, const struct elf *object) {
  struct reading r = {.e = object, .kernels = kernels};
  struct elf_symbol s;
  read_names(object, kernels);
  if (!elf_symtab(object, SHT_SYMTAB, &r.symbols))
    return;
  for (size_t i = 0; i < r.symbols.count; i++)
    if (elf_symbol(&r.symbols, i, &s) && registers(&s))
      read_code(&r, &(struct code){s.section, s.value, s.value + s.size});
  if (r.odd)
    argv_free(kernels);
  if (r.odd && !r.others)
    argv_add_all(kernels, r.strings.args);
  argv_free(&r.strings);
}
