/* ck_jit_symbols.c - the functions that a loaded object defines. */
#include "ck_jit_symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* The parts of .dynsym of a loaded object. */
struct ckjit_symbols {
  const ElfW(Sym) * table;
  const char *names;
  size_t first, end;
};

/* A pointer of the dynamic section: glibc relocates them in place, other C libraries leave them
 * relative. */
CKJIT_READS_LINKER const void *ckjit_dynamic_pointer(const struct link_map *map, ElfW(Addr) value) {
  return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

CKJIT_READS_LINKER bool ckjit_is_object(const struct dl_phdr_info *info,
                                        const struct link_map *map) {
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == (ElfW(Addr))map->l_ld;
  return false;
}

/* The end of the symbol table from DT_GNU_HASH, which does not contain it: the last entry of the
 * last chain. Symbols below *FIRST are undefined. Source: "GNU Hash ELF Sections", A. Roenne /
 * binutils bfd/elflink.c. */
static size_t ckjit_gnu_hash_end(const uint32_t *hash, size_t *first) {
  uint32_t buckets = hash[0], offset = hash[1], bloom = hash[2], last = 0;
  const uint32_t *bucket = hash + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof(uint32_t)),
                 *chain = bucket + buckets;
  for (uint32_t i = 0; i < buckets; i++)
    if (bucket[i] > last)
      last = bucket[i];
  *first = offset;
  if (last < offset)
    return offset;
  while (!(chain[last - offset] & 1))
    last++;
  return (size_t)last + 1;
}

CKJIT_READS_LINKER static bool ckjit_symbols_of(void *handle, struct ckjit_symbols *s) {
  struct link_map *map;
  const uint32_t *gnu = NULL, *sysv = NULL;
  *s = (struct ckjit_symbols){0};
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
    return false;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    const void *p = ckjit_dynamic_pointer(map, d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB)
      s->table = p;
    else if (d->d_tag == DT_STRTAB)
      s->names = p;
    else if (d->d_tag == DT_GNU_HASH)
      gnu = p;
    else if (d->d_tag == DT_HASH)
      sysv = p;
  }
  if (gnu)
    s->end = ckjit_gnu_hash_end(gnu, &s->first);
  else if (sysv)
    s->end = sysv[1];
  return s->table && s->names && s->end;
}

/* The name of symbol I, NULL if it is not a defined function. */
static const char *ckjit_defined(const struct ckjit_symbols *s, size_t i) {
  const ElfW(Sym) *sym = &s->table[i];
  bool function = ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF;
  return function ? s->names + sym->st_name : NULL;
}

const char *ckjit_function_name(void *handle, uint64_t hash, size_t *functions) {
  struct ckjit_symbols s;
  *functions = 0;
  if (!ckjit_symbols_of(handle, &s))
    return NULL;
  for (size_t i = s.first; i < s.end; i++) {
    const char *name = ckjit_defined(&s, i);
    *functions += name != NULL;
    if (name && ckjit_fnv1a(name, strlen(name)) == hash)
      return name;
  }
  return NULL;
}

void ckjit_each_function(void *handle, bool (*each)(const char *name, void *user), void *user) {
  struct ckjit_symbols s;
  if (!ckjit_symbols_of(handle, &s))
    return;
  for (size_t i = s.first; i < s.end; i++) {
    const char *name = ckjit_defined(&s, i);
    if (name && !each(name, user))
      return;
  }
}

/* A process with C++ host code has the C++ library. The runtime needs libc only, so it is not
 * linked for this. */
void ckjit_add_demangled(struct ckjit_text *t, const char *mangled) {
  char *(*demangle)(const char *, char *, size_t *, int *);
  int status = -1;
  *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  char *name = demangle && mangled[0] == '_' && mangled[1] == 'Z'
                   ? demangle(mangled, NULL, NULL, &status)
                   : NULL;
  ckjit_add(t, name && !status ? name : mangled);
  free(name);
}
