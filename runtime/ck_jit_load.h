/* ck_jit_load.h - from a cache entry to the address of a function in it.
 *
 * The entry is checked in the file (ck_jit_entry.h), loaded by its path, and checked again in memory. By its
 * path, not as /proc/self/fd/N which would be the very file that was checked: debuggers, profilers and
 * backtraces print and open the name that the dynamic linker was given, and glibc takes two loads of one name
 * for one object, so a descriptor number that is used again would give a kernel another kernel's code. The
 * second check closes the window instead: whatever was mapped carries the wanted build id or is not used. It
 * also catches the case that a path can never solve: the file of that name was replaced since this process
 * loaded it for another library.
 *
 * A loaded blob stays loaded: pointers to its functions are in slots, on stacks and in HIP's tables.
 */
#ifndef CK_JIT_LOAD_H
#define CK_JIT_LOAD_H

#include "ck_jit_entry.h"
#include "ck_jit_text.h"

#include <dlfcn.h>
#include <link.h>

/* For what reads the dynamic linker's own data: it has locks of which ThreadSanitizer does not know, so a map
 * that one thread's dlopen made and another's was given looks like a race. */
#define CKJIT_READS_LINKER __attribute__((no_sanitize_thread))

/* ---- what was mapped ---- */

struct ckjit_mapped {
  const struct link_map *map;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  bool found;
};

CKJIT_READS_LINKER static int ckjit_mapped_look(struct dl_phdr_info *info, size_t size, void *user) {
  struct ckjit_mapped *m = user;
  (void)size;
  /* The dynamic section is the object's own, whatever two objects are called. */
  const ElfW(Phdr) *dynamic = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = &info->dlpi_phdr[i];
  if (!dynamic || info->dlpi_addr + dynamic->p_vaddr != (ElfW(Addr))m->map->l_ld)
    return 0;
  for (int i = 0; i < info->dlpi_phnum && !m->found; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE)
      m->found = ckjit_note_find((const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_filesz,
                                 p->p_align, m->id);
  }
  return 1;
}

/* whether the object behind HANDLE carries build id WANT */
static bool ckjit_mapped_is(void *handle, const uint8_t want[CKJIT_BUILD_ID_SIZE]) {
  struct ckjit_mapped m = {0};
  struct link_map *map;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
    return false;
  m.map = map;
  dl_iterate_phdr(ckjit_mapped_look, &m);
  return m.found && memcmp(m.id, want, sizeof m.id) == 0;
}

/* ---- loading ---- */

/* Load PATH, which holds build id WANT. NUMBER, where it is not 0, becomes part of the name's spelling (a
 * slash or "/./" for each of its bits): with the file's inode the name is one that no other file has. NULL
 * and the reason in WHY on failure. */
static void *ckjit_load(const char *path, uint64_t number, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                        struct ckjit_text *why) {
  enum { SPELLINGS = 8 };
  const char *base = strrchr(path, '/') + 1; /* entries' paths are absolute */
  struct ckjit_text name = {0};
  void *handle = NULL;
  /* glibc gives an object it has already where the name is the same, even if the file is another one by now.
   * Another spelling of the name ("/./") makes it look at the file. */
  for (int spelling = 0; spelling < SPELLINGS && !handle; spelling++) {
    ckjit_text_clear(&name);
    ckjit_add_bytes(&name, path, (size_t)(base - path));
    for (int i = 0; i < spelling; i++)
      ckjit_add(&name, "./");
    for (uint64_t bits = number; bits; bits >>= 1)
      ckjit_add(&name, bits & 1 ? "./" : "/");
    ckjit_add(&name, base);
    if (!ckjit_whole(&name)) {
      ckjit_add(why, "out of memory");
      break;
    }
    handle = dlopen(name.data, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *error = dlerror();
      ckjit_add(why, error ? error : "the dynamic linker gave no reason");
      break;
    }
    if (!ckjit_mapped_is(handle, want)) {
      dlclose(handle); /* somebody else's, who still holds it; or a file that was exchanged this instant */
      handle = NULL;
    }
  }
  if (!handle && !why->len)
    ckjit_addf(why, "%s is in use with other content", path);
  ckjit_text_free(&name);
  return handle;
}

/* ---- finding the function ---- */

/* What .dynsym of a loaded object consists of. */
struct ckjit_symbols {
  const ElfW(Sym) * table;
  const char *names;
  size_t first, end;
};

/* A pointer of the dynamic section: glibc relocates them in place, other C libraries leave them relative. */
CKJIT_READS_LINKER static const void *ckjit_dynamic_pointer(const struct link_map *map, ElfW(Addr) value) {
  return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

/* The end of the symbol table from DT_GNU_HASH, which does not say it: the last chain's last entry. Symbols
 * below *FIRST are undefined ones. Source: "GNU Hash ELF Sections", A. Roenne / binutils bfd/elflink.c. */
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

/* The name in the object behind HANDLE of the defined function whose mangled name hashes to HASH, NULL where
 * there is none. Borrowed from the object. *FUNCTIONS counts the functions that it does define. */
static const char *ckjit_function_name(void *handle, uint64_t hash, size_t *functions) {
  struct ckjit_symbols s;
  *functions = 0;
  if (!ckjit_symbols_of(handle, &s))
    return NULL;
  for (size_t i = s.first; i < s.end; i++) {
    const ElfW(Sym) *sym = &s.table[i];
    if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF)
      continue;
    ++*functions;
    const char *name = s.names + sym->st_name;
    if (ckjit_fnv1a(name, strlen(name)) == hash)
      return name;
  }
  return NULL;
}

#endif
