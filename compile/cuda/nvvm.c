#include "nvvm.h"
#include "core/base/vec.h"
#include "core/device/bitstream.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the format. */
enum {
  MODULE_BLOCK = 8,
  STRTAB_BLOCK = 23,
  MODULE_GLOBALVAR = 7,
  MODULE_FUNCTION = 8,
  STRTAB_BLOB = 1,
  LINKAGE_EXTERNAL = 0,
  LINKAGE_INTERNAL = 3,
  LINKAGE_LINKONCE = 18, /* linkonce_any: dropped where nobody uses it, and any value may be in it */
  LINKAGE_BITS = 5,
};

/* A function or variable of the module, for when the names are known. */
struct symbol {
  uint64_t offset, size;
  struct bit_place linkage;
  uint64_t linkage_was;
  enum { FUNCTION, INTERNAL, LIST, VARIABLE } what; /* INTERNAL: a function; LIST: llvm.used and its like */
};

struct module {
  unsigned char *bytes;
  struct symbol *symbols;
  size_t n;
  uint64_t strtab, strtab_size;
  struct nvvm_facts *facts;
};

static void add_symbol(struct module *m, const struct bitstream_record *r, int what) {
  vec_push(m->symbols, m->n, (struct symbol){r->values[0], r->values[1], r->places[5], r->values[5], what});
}

static void note_function(struct module *m, const struct bitstream_record *r) {
  /* [offset, size, type, convention, is a declaration, linkage, …] */
  if (r->n >= 6 && !r->values[4])
    add_symbol(m, r, r->values[5] == LINKAGE_INTERNAL ? INTERNAL : FUNCTION);
}

/* Variables of the source's are in the address space of global memory. What has none is an image that the
 * front end itself makes, of an object that begins with constants: it looks as if it could be written, and
 * nobody does. CUTLASS's descriptors for Hopper leave some in the PTX of each kernel. */
static void note_variable(struct module *m, const struct bitstream_record *r) {
  /* [offset, size, type, is constant | explicit << 1 | address space << 2, initialiser or 0, linkage, …] */
  enum { GENERIC = 0, SHARED = 3, CONSTANT = 4, APPENDING = 2, COMMON = 8, AVAILABLE = 12 };
  if (r->n < 6)
    return;
  uint64_t flags = r->values[3], space = flags >> 2, linkage = r->values[5];
  bool known = flags & 2, constant = flags & 1;
  bool elsewhere = !r->values[4] || linkage == COMMON || linkage == AVAILABLE;
  if (linkage == APPENDING) /* llvm.used */
    add_symbol(m, r, LIST);
  else if (!elsewhere && !constant && !(known && (space == GENERIC || space == SHARED || space == CONSTANT)))
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

/* llvm.used keeps all kernels alive; under another name, and internal, it is a variable that nobody needs. It
 * has kept variables alive, too, and from being taken for their initial values where no kernel that is left
 * writes them: those become such as any value may be in. */
static bool is_used_list(const struct module *m, const struct symbol *y) {
  static const char name[] = "llvm.used";
  return y->size == sizeof name - 1 && memcmp(m->bytes + m->strtab + y->offset, name, y->size) == 0;
}

static const char *apply(const struct module *m, const char *kernel) {
  size_t len = kernel ? strlen(kernel) : 0;
  for (size_t i = 0; i < m->n; i++) {
    const struct symbol *y = &m->symbols[i];
    if (y->offset > m->strtab_size || y->size > m->strtab_size - y->offset)
      return "a name is outside of the table of names";
    if (y->what == VARIABLE) {
      argv_add_own(&m->facts->variables, xstrndup((char *)m->bytes + m->strtab + y->offset, y->size));
      m->facts->internal_variables += y->linkage_was == LINKAGE_INTERNAL;
      if (kernel && y->linkage.width < LINKAGE_BITS)
        return "a record has another form than is known";
      if (kernel)
        put_linkage(m, &y->linkage, LINKAGE_LINKONCE);
      continue;
    }
    if (y->what == LIST && is_used_list(m, y) && kernel)
      m->bytes[m->strtab + y->offset + y->size - 1] = '_';
    bool function = y->what == FUNCTION || y->what == INTERNAL;
    bool wanted =
        function && kernel && y->size == len && memcmp(m->bytes + m->strtab + y->offset, kernel, len) == 0;
    m->facts->found |= wanted;
    m->facts->functions += y->what == FUNCTION || wanted;
    /* a static kernel is alive by the list alone: the one that is wanted comes to be seen from outside */
    bool stays = wanted ? y->what == FUNCTION : y->what == INTERNAL;
    if (stays || !kernel)
      continue;
    if (y->linkage.width < 2)
      return "a record has another form than is known";
    put_linkage(m, &y->linkage, wanted ? LINKAGE_EXTERNAL : LINKAGE_INTERNAL);
  }
  return NULL;
}

const char *nvvm_keep(void *bytes, size_t n, const char *kernel, struct nvvm_facts *facts) {
  struct bitstream s;
  struct module m = {.bytes = bytes, .facts = facts};
  *facts = (struct nvvm_facts){0};
  if (!bitstream_open(&s, bytes, n))
    return "it is no LLVM bitcode";
  read_blocks(&s, &m);
  const char *why = s.bad ? "it is damaged, or of a form that is not known" : apply(&m, kernel);
  if (!why && (!m.n || !m.strtab))
    why = "it has no functions with names";
  free(m.symbols);
  return why;
}
