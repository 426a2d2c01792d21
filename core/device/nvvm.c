/* nvvm.c - selects one kernel in the bitcode of nvcc's device front end.
 *
 * The module block has a record, with its linkage, for each function and variable; their names are
 * in the string table, which comes after it. So the records are noted first, and changed when the
 * names are known.
 */
#include "nvvm.h"
#include "core/base/vec.h"
#include "core/device/bitstream.h"

/* Numbers of the format. */
enum {
  MODULE_BLOCK = 8,
  STRTAB_BLOCK = 23,
  MODULE_GLOBALVAR = 7,
  MODULE_FUNCTION = 8,
  STRTAB_BLOB = 1,
  LINKAGE_EXTERNAL = 0,
  LINKAGE_INTERNAL = 3,
  /* linkonce_any: dropped if unused; may have any value */
  LINKAGE_LINKONCE = 18,
};

/* A function or variable of the module, until the names are known. */
struct symbol {
  uint64_t offset, size;
  struct bit_place linkage;
  uint64_t linkage_was;
  enum {
    FUNCTION,
    INTERNAL,
    LIST,
    VARIABLE,
    DYNAMIC
  } what; /* INTERNAL: a function; LIST: llvm.used and the like */
};

struct module {
  unsigned char *bytes;
  struct symbol *symbols;
  size_t n;
  uint64_t strtab, strtab_size;
  struct nvvm_facts *facts;
  bool constants; /* the host may write some */
  bool kernels;   /* it defines one of AMD's */
};

static void add_symbol(struct module *m, const struct bitstream_record *r, int what) {
  vec_push(m->symbols, m->n,
           (struct symbol){r->values[0], r->values[1], r->places[5], r->values[5], what});
}

static void note_function(struct module *m, const struct bitstream_record *r) {
  /* [offset, size, type, convention, is a declaration, linkage, …] */
  enum { AMDGPU_KERNEL = 91 };
  if (r->n < 6 || r->values[4])
    return;
  add_symbol(m, r, r->values[5] == LINKAGE_INTERNAL ? INTERNAL : FUNCTION);
  m->kernels |= r->values[3] == AMDGPU_KERNEL;
}

/* The source's variables are in the address space of global memory. A variable in no address space
 * is an image of an object that begins with constants, which the front end itself makes: it looks
 * writable, but nobody writes it. CUTLASS's descriptors for Hopper leave some in the PTX of each
 * kernel. */
static void note_variable(struct module *m, const struct bitstream_record *r) {
  /* [offset, size, type, is constant | explicit << 1 | address space << 2, initialiser or 0,
   * linkage, …] */
  enum { GENERIC = 0, SHARED = 3, CONSTANT = 4, APPENDING = 2, COMMON = 8, AVAILABLE = 12 };
  if (r->n < 6)
    return;
  uint64_t flags = r->values[3], space = flags >> 2, linkage = r->values[5];
  bool known = flags & 2, constant = flags & 1;
  bool elsewhere = !r->values[4] || linkage == COMMON || linkage == AVAILABLE;
  if (linkage == APPENDING) /* llvm.used */
    add_symbol(m, r, LIST);
  else if (!r->values[4] && known && space == SHARED)
    add_symbol(m, r, DYNAMIC);
  else if (!elsewhere && !constant &&
           !(known &&
             (space == GENERIC || space == SHARED || (space == CONSTANT && !m->constants))))
    add_symbol(m, r, VARIABLE);
}

static void note_record(const struct bitstream_record *r, void *user) {
  struct module *m = user;
  if (r->code == MODULE_FUNCTION)
    note_function(m, r);
  else if (r->code == MODULE_GLOBALVAR)
    note_variable(m, r);
}

static void note_strings(const struct bitstream_record *r, void *user) {
  struct module *m = user;
  if (r->code == STRTAB_BLOB) {
    m->strtab = r->blob;
    m->strtab_size = r->blob_size;
  }
}

static void read_blocks(struct bitstream *s, struct module *m) {
  struct bitstream_block b;
  while (bitstream_next(s, &b)) {
    if (b.id == MODULE_BLOCK || b.id == STRTAB_BLOCK)
      bitstream_records(s, &b, b.id == MODULE_BLOCK ? note_record : note_strings, m);
    s->at = b.end;
  }
}

static void put_linkage(const struct module *m, const struct bit_place *p, unsigned linkage) {
  for (unsigned i = 0; i < p->width; i++) {
    uint64_t bit = p->at + i;
    unsigned char mask = (unsigned char)(1u << (bit % 8));
    if (linkage >> i & 1)
      m->bytes[bit / 8] |= mask;
    else
      m->bytes[bit / 8] &= (unsigned char)~mask;
  }
}

/* llvm.used keeps all kernels alive. Renamed and internal, it is a variable that nobody needs. It
 * has kept variables alive as well; then the initial value could replace a variable that none of
 * the remaining kernels writes. So such variables become linkonce_any, which may have any value. */
static bool is_used_list(const struct module *m, const struct symbol *y) {
  static const char name[] = "llvm.used";
  return y->size == sizeof name - 1 && memcmp(m->bytes + m->strtab + y->offset, name, y->size) == 0;
}

static bool is_kernel(const struct module *m, const struct symbol *y, const char *kernel) {
  return kernel && y->size == strlen(kernel) &&
         memcmp(m->bytes + m->strtab + y->offset, kernel, y->size) == 0;
}

/* Set Y's linkage, which takes BITS. False: its record has no room for it. */
static bool link_as(const struct module *m, const struct symbol *y, unsigned linkage,
                    unsigned bits) {
  if (y->linkage.width < bits)
    return false;
  put_linkage(m, &y->linkage, linkage);
  return true;
}

bool nvvm_is_compilers(const char *name) {
  return str_starts(name, "llvm.") || str_starts(name, "__hip_cuid_") ||
         strcmp(name, "__clang_gpu_used_external") == 0;
}

static bool apply_to_variable(const struct module *m, const struct symbol *y, const char *kernel) {
  struct argv *all = &m->facts->variables;
  char *name = xstrndup((char *)m->bytes + m->strtab + y->offset, y->size);
  if (nvvm_is_compilers(name)) {
    free(name);
    return true;
  }
  argv_add_own(all, name);
  if (y->linkage_was == LINKAGE_INTERNAL) {
    char **first = &all->args[m->facts->internal_variables++], *last = all->args[all->n - 1];
    all->args[all->n - 1] = *first;
    *first = last;
  }
  return !kernel || link_as(m, y, LINKAGE_LINKONCE, 5);
}

static bool note_dynamic(const struct module *m, const struct symbol *y) {
  argv_add_own(&m->facts->dynamic, xstrndup((char *)m->bytes + m->strtab + y->offset, y->size));
  return true;
}

static bool apply_to_function(const struct module *m, const struct symbol *y, const char *kernel) {
  bool wanted = is_kernel(m, y, kernel);
  /* A name occurs once in a module. */
  if (wanted && m->facts->found)
    return false;
  m->facts->found |= wanted;
  m->facts->functions += y->what == FUNCTION || wanted;
  /* Only the list keeps a static kernel alive: the wanted one becomes visible from outside. */
  bool stays = wanted ? y->what == FUNCTION : y->what == INTERNAL;
  return stays || !kernel || link_as(m, y, wanted ? LINKAGE_EXTERNAL : LINKAGE_INTERNAL, 2);
}

static bool apply_to_list(const struct module *m, const struct symbol *y, const char *kernel) {
  if (!kernel)
    return true;
  if (is_used_list(m, y))
    m->bytes[m->strtab + y->offset + y->size - 1] = '_';
  return link_as(m, y, LINKAGE_INTERNAL, 2);
}

static bool apply(const struct module *m, const char *kernel, const char **why) {
  for (size_t i = 0; i < m->n; i++) {
    const struct symbol *y = &m->symbols[i];
    if (!(y->what == VARIABLE  ? apply_to_variable(m, y, kernel)
          : y->what == LIST    ? apply_to_list(m, y, kernel)
          : y->what == DYNAMIC ? note_dynamic(m, y)
                               : apply_to_function(m, y, kernel))) {
      *why = "a record of an unknown form";
      return false;
    }
  }
  return true;
}

/* Do the names of all symbols lie within the table? */
static bool has_names(const struct module *m, const char **why) {
  for (size_t i = 0; i < m->n; i++)
    if (m->symbols[i].offset > m->strtab_size ||
        m->symbols[i].size > m->strtab_size - m->symbols[i].offset) {
      *why = "a name is outside of the table of names";
      return false;
    }
  return true;
}

static bool read_module(struct module *m, void *bytes, size_t n, const char **why) {
  struct bitstream s;
  m->bytes = bytes;
  *why = "it is not LLVM bitcode";
  if (!bitstream_open(&s, bytes, n))
    return false;
  read_blocks(&s, m);
  *why = "it is damaged, or of an unknown form";
  return !s.bad;
}

bool nvvm_keep(void *bytes, size_t n, const char *kernel, bool constants, struct nvvm_facts *facts,
               const char **why) {
  struct module m = {.facts = facts, .constants = constants};
  *facts = (struct nvvm_facts){0};
  bool done = read_module(&m, bytes, n, why) && has_names(&m, why) && apply(&m, kernel, why);
  if (done && (!m.n || !m.strtab)) {
    *why = "it has no functions with names";
    done = false;
  }
  free(m.symbols);
  return done;
}

bool nvvm_keep_function(void *bytes, size_t n, const char *kernel, const char **why) {
  struct module m = {0};
  bool done = read_module(&m, bytes, n, why) && has_names(&m, why), found = false;
  for (size_t i = 0; done && i < m.n; i++) {
    const struct symbol *y = &m.symbols[i];
    bool wanted = y->what == FUNCTION && is_kernel(&m, y, kernel);
    found |= wanted;
    if (y->what == FUNCTION && !wanted && !link_as(&m, y, LINKAGE_INTERNAL, 2)) {
      *why = "a record of an unknown form";
      done = false;
    }
  }
  if (done && !found)
    *why = "it has no such kernel";
  free(m.symbols);
  return done && found;
}

void nvvm_drop_lists(void *bytes, size_t n) {
  struct module m = {0};
  const char *why;
  bool done = read_module(&m, bytes, n, &why) && has_names(&m, &why);
  for (size_t i = 0; done && m.kernels && i < m.n; i++) {
    const struct symbol *y = &m.symbols[i];
    char *end = (char *)m.bytes + m.strtab + y->offset + y->size;
    if (y->what == LIST && y->size >= 5 && memcmp(end - 5, ".used", 5) == 0 &&
        link_as(&m, y, LINKAGE_INTERNAL, 2))
      end[-1] = '_';
  }
  free(m.symbols);
}

void nvvm_facts_free(struct nvvm_facts *f) {
  argv_free(&f->variables);
  argv_free(&f->fixed);
  argv_free(&f->dynamic);
}

bool nvvm_functions(void *bytes, size_t n, struct argv *names, const char **why) {
  struct module m = {0};
  bool done = read_module(&m, bytes, n, why) && has_names(&m, why);
  for (size_t i = 0; done && i < m.n; i++) {
    const struct symbol *y = &m.symbols[i];
    if (y->what == FUNCTION || y->what == INTERNAL)
      argv_add_own(names, xstrndup((char *)m.bytes + m.strtab + y->offset, y->size));
  }
  argv_sort(names);
  free(m.symbols);
  return done;
}
