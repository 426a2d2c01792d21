/* ck_jit_imports.c - gives a loaded entry the symbols of its library. */
#include "ck_jit_imports.h"
#include "ck_jit_machine.h"
#include "ck_jit_symbols.h"
#include "ck_jit_threadlocal.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In place of the table (postbuild/imports.c) in a library that needs none. It is no undefined
 * symbol: gold takes such a one to be at the library's beginning. */
const struct ckjit_import ckjit_imports[1] __attribute__((weak, visibility("hidden"))) = {{0}};

/* The relocations of a loaded object that name symbols. */
struct ckjit_references {
  void *handle;
  const struct link_map *map;
  struct ckjit_provider *provider; /* NULL: not needed so far */
  const ElfW(Sym) * table;
  const char *names;
  const ElfW(Rela) * rela[2];
  size_t n[2];
  /* the initialisers that the dynamic linker has not run */
  void (**initialisers)(int, char **, char **);
  size_t ninitialisers;
  /* what the dynamic linker has made read-only, and whether it is WRITABLE again */
  uintptr_t first, end;
  bool writable;
  uintptr_t data, data_end; /* what may be written */
};

/* An object that this library has loaded. The list has the last one first; none is unloaded when it
 * was in use. */
struct ckjit_provider {
  struct ckjit_provider *next;
  void *handle; /* NULL: it was unloaded */
  const struct link_map *map;
};
static struct ckjit_provider *ckjit_providers;

CKJIT_READS_LINKER static int ckjit_find_segments(struct dl_phdr_info *info, size_t size,
                                                  void *user) {
  struct ckjit_references *r = user;
  (void)size;
  if (!ckjit_is_object(info, r->map))
    return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_GNU_RELRO) {
      r->first = at & -page;
      r->end = (at + p->p_memsz) & -page;
    } else if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
      r->data = at;
      r->data_end = at + p->p_memsz;
    }
  }
  return 1;
}

CKJIT_READS_LINKER static bool ckjit_references_of(void *handle, struct ckjit_references *r) {
  struct link_map *map;
  *r = (struct ckjit_references){.handle = handle};
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
    return false;
  r->map = map;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    const void *p = ckjit_dynamic_pointer(map, d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB)
      r->table = p;
    else if (d->d_tag == DT_STRTAB)
      r->names = p;
    else if (d->d_tag == DT_RELA)
      r->rela[0] = p;
    else if (d->d_tag == DT_JMPREL)
      r->rela[1] = p;
    else if (d->d_tag == DT_RELASZ)
      r->n[0] = d->d_un.d_val / sizeof(ElfW(Rela));
    else if (d->d_tag == DT_PLTRELSZ)
      r->n[1] = d->d_un.d_val / sizeof(ElfW(Rela));
    else if (d->d_tag == CKJIT_DT_INIT_ARRAY)
      r->initialisers = (void (**)(int, char **, char **))(map->l_addr + d->d_un.d_ptr);
    else if (d->d_tag == CKJIT_DT_INIT_ARRAYSZ)
      r->ninitialisers = d->d_un.d_val / sizeof *r->initialisers;
  }
  dl_iterate_phdr(ckjit_find_segments, r);
  return r->table && r->names;
}

/* Let the pages be written that the dynamic linker has protected. */
static bool ckjit_unprotect(struct ckjit_references *r) {
  if (!r->writable)
    r->writable = r->first >= r->end ||
                  !mprotect((void *)r->first, r->end - r->first, PROT_READ | PROT_WRITE);
  return r->writable;
}

/* The address of NAME in the library, NULL if it has none. */
static void *ckjit_own_address(const char *name) {
  const struct ckjit_import *table = ckjit_imports;
  __asm__("" : "+r"(table)); /* the linker's, of any length */
  const uint64_t hash = ckjit_fnv1a(name, strlen(name));
  size_t low = 0, high = (size_t)table[0].hash;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct ckjit_import *row = &table[1 + middle];
    if (row->hash == hash)
      return row->address;
    if (row->hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* Does RELA hold the address of a symbol? */
static bool ckjit_is_address(const ElfW(Rela) * rela) {
  const uint32_t type = ELF64_R_TYPE(rela->r_info);
  return ELF64_R_SYM(rela->r_info) &&
         (type == CKJIT_OWN.absolute64 || type == CKJIT_OWN.got || type == CKJIT_OWN.got_of_calls);
}

/* Does its object leave SYM open? */
static bool ckjit_is_open(const ElfW(Sym) * sym) {
  return sym->st_shndx == SHN_UNDEF && sym->st_size == CKJIT_IMPORTED &&
         ELF64_ST_BIND(sym->st_info) == STB_WEAK;
}

/* Has the dynamic linker itself bound NAME of HANDLE to IS? */
static bool ckjit_is_bound(void *handle, const char *name, const void *is) {
  return dlsym(RTLD_DEFAULT, name) == is || dlsym(handle, name) == is;
}

/* ---- variables of which a library has one copy ---- */

/* Make R's object one of the providers; what it was before that stays. False: no memory. Of two
 * threads that load objects with one variable, the first one's is taken by both. */
static bool ckjit_provide(struct ckjit_references *r) {
  struct ckjit_provider *p = __atomic_load_n(&ckjit_providers, __ATOMIC_ACQUIRE);
  if (r->provider)
    return true;
  while (p && __atomic_load_n(&p->handle, __ATOMIC_ACQUIRE) != r->handle)
    p = p->next;
  r->provider = p ? p : malloc(sizeof *p);
  if (p || !(p = r->provider))
    return p;
  *p = (struct ckjit_provider){__atomic_load_n(&ckjit_providers, __ATOMIC_RELAXED), r->handle,
                               r->map};
  while (!__atomic_compare_exchange_n(&ckjit_providers, &p->next, p, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
    ;
  return true;
}

/* Is the variable at ADDRESS one of P's object, and not of a library that it is linked with? */
CKJIT_READS_LINKER static bool ckjit_is_of(const struct ckjit_provider *p, const void *address) {
  struct ckjit_variable_place place;
  Dl_info info;
  if (dladdr(address, &info))
    return (uintptr_t)info.dli_fbase == p->map->l_addr;
  return ckjit_variable_place(address, p->map, &place);
}

/* The variable NAME of the object that was loaded first of those that define it; NULL: none. Of a
 * thread-local one, that of this thread. */
static void *ckjit_first_copy(const char *name) {
  void *first = NULL;
  for (const struct ckjit_provider *p = __atomic_load_n(&ckjit_providers, __ATOMIC_ACQUIRE); p;
       p = p->next) {
    void *handle = __atomic_load_n(&p->handle, __ATOMIC_ACQUIRE);
    void *address = handle ? dlsym(handle, name) : NULL;
    if (address && ckjit_is_of(p, address))
      first = address;
  }
  return first;
}

/* Where the library has SYM, a variable that its object defines as any other may; 0: it is none of
 * these. A regular link keeps one copy. Constants stay apart: nobody can tell them from each other.
 * False: no memory. */
CKJIT_READS_LINKER static bool ckjit_one_copy(struct ckjit_references *r, const ElfW(Sym) * sym,
                                              uintptr_t *is) {
  const uintptr_t own = r->map->l_addr + sym->st_value;
  const int bind = ELF64_ST_BIND(sym->st_info);
  const char *name = r->names + sym->st_name;
  if (sym->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(sym->st_info) != STT_OBJECT) {
    *is = 0;
    return true;
  }
  const bool constant = own < r->data || own >= r->data_end || (own >= r->first && own < r->end);
  void *address = constant || bind == STB_GLOBAL ? NULL : ckjit_own_address(name);
  if (!address && !constant && bind == STB_WEAK) {
    if (!ckjit_provide(r))
      return false;
    address = ckjit_first_copy(name);
  }
  /* the dynamic linker itself keeps one for the process of those that are unique */
  *is = address ? (uintptr_t)address : bind == STB_GNU_UNIQUE ? *is : own;
  return true;
}

/* ---- references ---- */

static enum ckjit_imported ckjit_cannot(struct ckjit_text *why, const char *text) {
  ckjit_add(why, text);
  return CKJIT_IMPORTS_MISSING;
}

/* Nobody defines NAME. */
static enum ckjit_imported ckjit_undefined(struct ckjit_text *why, const char *name) {
  ckjit_add(why, "it needs ");
  ckjit_add_demangled(why, name);
  return ckjit_cannot(
      why, ", which neither this library nor another one that it is linked with defines");
}

static const char ckjit_protected[] = "its table of addresses cannot be made writable";

/* Fill RELA of R with the address of its symbol. */
CKJIT_READS_LINKER static enum ckjit_imported
ckjit_fill_address(struct ckjit_references *r, const ElfW(Rela) * rela, struct ckjit_text *why) {
  const ElfW(Sym) *sym = &r->table[ELF64_R_SYM(rela->r_info)];
  const bool open = ckjit_is_open(sym);
  const char *name = r->names + sym->st_name;
  uintptr_t *place = (uintptr_t *)(r->map->l_addr + rela->r_offset);
  const uintptr_t addend = (uintptr_t)rela->r_addend;
  void *is = (void *)(__atomic_load_n(place, __ATOMIC_RELAXED) - addend);
  uintptr_t copy = (uintptr_t)is;
  if (!open && !ckjit_one_copy(r, sym, &copy))
    return ckjit_cannot(why, "out of memory");
  void *address = open ? ckjit_own_address(name) : (void *)copy;
  if (!address && (is || !open))
    return CKJIT_IMPORTS_DONE;
  if (!address && !(address = dlsym(RTLD_DEFAULT, name)))
    return ckjit_undefined(why, name);
  if (is == address)
    return CKJIT_IMPORTS_DONE;
  if (is && !ckjit_is_bound(r->handle, name, is))
    return CKJIT_IMPORTS_TAKEN;
  if (!ckjit_unprotect(r))
    return ckjit_cannot(why, ckjit_protected);
  __atomic_store_n(place, (uintptr_t)address + addend, __ATOMIC_RELAXED);
  return CKJIT_IMPORTS_DONE;
}

/* Has the dynamic linker bound the thread-local variable NAME of HANDLE to IS? */
static bool ckjit_is_bound_variable(void *handle, const char *name,
                                    const struct ckjit_variable_place *is) {
  void *const from[] = {RTLD_DEFAULT, handle};
  struct ckjit_variable_place place;
  bool bound = false;
  for (size_t i = 0; i < sizeof from / sizeof *from && !bound; i++)
    bound = ckjit_variable_place(dlsym(from[i], name), NULL, &place) &&
            place.module == is->module && place.offset == is->offset;
  return bound;
}

/* Where the library has the thread-local variable NAME. Its table has a function that returns the
 * address; if the linker has left out the member of an archive that has the variable, that is no
 * address of the library's, nor of one that it is linked with. */
static bool ckjit_own_variable(const char *name, struct ckjit_variable_place *place) {
  void *(*find)(void) = (void *(*)(void))(uintptr_t)ckjit_own_address(name);
  struct link_map *map = NULL;
  Dl_info info;
  const void *address = find ? find() : NULL;
  if (!address || !dladdr1((const void *)ckjit_imports, &info, (void **)&map, RTLD_DL_LINKMAP))
    return false;
  return ckjit_variable_place(address, map, place) ||
         (address == dlsym(RTLD_DEFAULT, name) && ckjit_variable_place(address, NULL, place));
}

/* Fill the pair of RELA of R with the place of its thread-local variable, of which a regular link
 * keeps one as well. */
CKJIT_READS_LINKER static enum ckjit_imported
ckjit_fill_variable(struct ckjit_references *r, const ElfW(Rela) * rela, struct ckjit_text *why) {
  const ElfW(Sym) *sym = &r->table[ELF64_R_SYM(rela->r_info)];
  const char *name = r->names + sym->st_name;
  size_t *pair = (size_t *)(r->map->l_addr + rela->r_offset);
  const struct ckjit_variable_place is = {__atomic_load_n(&pair[0], __ATOMIC_RELAXED),
                                          __atomic_load_n(&pair[1], __ATOMIC_RELAXED)};
  struct ckjit_variable_place place;
  if (!ELF64_R_SYM(rela->r_info) || sym->st_shndx == SHN_UNDEF ||
      ELF64_ST_BIND(sym->st_info) == STB_GLOBAL)
    return CKJIT_IMPORTS_DONE;
  bool found = ckjit_own_variable(name, &place);
  if (!found && ELF64_ST_BIND(sym->st_info) == STB_WEAK) {
    if (!ckjit_provide(r))
      return ckjit_cannot(why, "out of memory");
    found = ckjit_variable_place(ckjit_first_copy(name), NULL, &place);
  }
  if (!found || (is.module == place.module && is.offset == place.offset))
    return CKJIT_IMPORTS_DONE;
  if (!ckjit_is_bound_variable(r->handle, name, &is))
    return CKJIT_IMPORTS_TAKEN;
  if (!ckjit_unprotect(r))
    return ckjit_cannot(why, ckjit_protected);
  __atomic_store_n(&pair[0], place.module, __ATOMIC_RELAXED);
  __atomic_store_n(&pair[1], place.offset, __ATOMIC_RELAXED);
  return CKJIT_IMPORTS_DONE;
}

static enum ckjit_imported ckjit_fill_open(struct ckjit_references *r, struct ckjit_text *why) {
  enum ckjit_imported done = CKJIT_IMPORTS_DONE;
  for (int part = 0; part < 2; part++)
    for (size_t i = 0; i < r->n[part] && done == CKJIT_IMPORTS_DONE; i++) {
      const ElfW(Rela) *rela = &r->rela[part][i];
      if (ckjit_is_address(rela))
        done = ckjit_fill_address(r, rela, why);
      else if (ELF64_R_TYPE(rela->r_info) == CKJIT_OWN.thread_module)
        done = ckjit_fill_variable(r, rela, why);
    }
  return done;
}

/* ---- initialisers ---- */

/* In place of an initialiser: thread TID runs it. No function has such an address. */
static uintptr_t ckjit_running(long tid) {
  return -(uintptr_t)tid;
}

/* Wait until the initialiser of SLOT has run, as dlopen waits for constructors. A thread that is
 * called by it does not wait, nor does the child of a fork, which has no thread that runs it. */
static void ckjit_await(const uintptr_t *slot, long tid) {
  const struct timespec pause = {.tv_nsec = 1000000};
  uintptr_t is;
  while ((is = __atomic_load_n(slot, __ATOMIC_ACQUIRE)) && is != ckjit_running(tid) &&
         !syscall(SYS_tgkill, getpid(), -(long)is, 0))
    nanosleep(&pause, NULL);
}

/* Each runs once, however many threads and libraries load the entry, and has run when this
 * returns. */
CKJIT_READS_LINKER static void ckjit_initialise(const struct ckjit_references *r) {
  char *none[] = {NULL};
  const long tid = syscall(SYS_gettid);
  for (size_t i = 0; i < r->ninitialisers; i++) {
    uintptr_t *slot = (uintptr_t *)&r->initialisers[i];
    uintptr_t is = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    const bool ours = is && (intptr_t)is > 0 &&
                      __atomic_compare_exchange_n(slot, &is, ckjit_running(tid), false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (ours) {
      ((void (*)(int, char **, char **))is)(0, none, environ);
      __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    } else if (is) {
      ckjit_await(slot, tid);
    }
  }
}

static bool ckjit_has_initialisers(const struct ckjit_references *r) {
  size_t i = 0;
  while (i < r->ninitialisers &&
         !__atomic_load_n((uintptr_t *)&r->initialisers[i], __ATOMIC_ACQUIRE))
    i++;
  return i < r->ninitialisers;
}

/* The pages stay writable, as those of a library that is linked lazily: another thread, or another
 * library, may be here for the same object. */
enum ckjit_imported ckjit_import(void *handle, struct ckjit_text *why) {
  struct ckjit_references r;
  if (!ckjit_references_of(handle, &r))
    return CKJIT_IMPORTS_DONE;
  const enum ckjit_imported done = ckjit_fill_open(&r, why);
  if (done != CKJIT_IMPORTS_DONE && r.provider)
    __atomic_store_n(&r.provider->handle, NULL, __ATOMIC_RELEASE);
  if (done == CKJIT_IMPORTS_DONE && ckjit_has_initialisers(&r) && ckjit_unprotect(&r))
    ckjit_initialise(&r);
  return done;
}
