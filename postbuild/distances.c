/* distances.c - see link.h. The tables of a dispatcher hold addresses of functions, and each is a
 * relocation that is applied whenever the library is loaded: 15,648 for CK's backward, in 31 pages.
 * If no function of a table can be replaced by another library's, the addresses become distances
 * from the table, which the linker knows:
 *
 *     as compiled                                  as linked
 *     table:     0          table_base             address of table
 *     table+8:   address of table                  0
 *     table+16:  mark, entry size, count           the same
 *     table+32:  address of f<1>, …                distance from table to f<1>, …
 *
 * The code adds table_base to each word (dispatch/prelude.hpp), so it reads either form. The form
 * is chosen here, table by table, when all objects of ckjit exist, because only then is it known
 * which functions are hidden. Objects that are not understood stay as they are: an object of a
 * link-time optimiser, a relocation of another type. The compiler's object is left unchanged, since
 * the next link may find it fresh and decide otherwise.
 */
#include "link.h"

#include "abi/ck_jit_machine.h"
#include "core/base/elf.h"
#include "core/base/intern.h"
#include "core/base/path.h"

/* struct function_table of dispatch/prelude.hpp, without its entries */
struct head {
  uint64_t base, self, mark;
  uint32_t entry_size, count;
};

static const uint64_t MARK = UINT64_C(0xb2d1c0a75e3f9846);

struct object {
  unsigned char *bytes;
  struct elf e;
  struct elf_symtab symbols;
  const struct ckjit_machine *machine;
  /* functions that other objects of the link define and hide */
  const struct intern *hidden;
};

struct place {
  uint32_t section;
  uint64_t start, end;
};

static bool is_hidden(const struct elf_symbol *s) {
  return s->visibility == STV_HIDDEN || s->visibility == STV_INTERNAL;
}

/* ---- what a table is ---- */

/* Is symbol S a table? */
static bool read_table(const struct object *o, const struct elf_symbol *s, struct place *table) {
  struct elf_section section;
  struct head h;
  if (s->type != STT_OBJECT || s->size <= sizeof h || s->section == SHN_UNDEF ||
      !elf_section(&o->e, s->section, &section) || section.type != SHT_PROGBITS || !section.data ||
      section.flags & SHF_MERGE || s->value > section.size || s->size > section.size - s->value)
    return false;
  memcpy(&h, section.data + s->value, sizeof h);
  uint64_t entries = (uint64_t)h.entry_size * h.count;
  *table = (struct place){s->section, s->value, s->value + sizeof h + entries};
  return h.mark == MARK && !h.base && entries && entries <= s->size - sizeof h;
}

/* Is RELA the address of TABLE itself? */
static bool is_self(const struct object *o, const struct place *table, const Elf64_Rela *rela) {
  struct elf_symbol s;
  return rela->r_offset == table->start + offsetof(struct head, self) &&
         ELF64_R_TYPE(rela->r_info) == o->machine->absolute64 &&
         elf_symbol(&o->symbols, ELF64_R_SYM(rela->r_info), &s) && s.section == table->section &&
         s.value + (uint64_t)rela->r_addend == table->start;
}

/* Is RELA the address of a function that is this library's, whatever else is loaded? */
static bool stays_here(const struct object *o, const Elf64_Rela *rela) {
  struct elf_symbol s;
  if (ELF64_R_TYPE(rela->r_info) != o->machine->absolute64 ||
      !elf_symbol(&o->symbols, ELF64_R_SYM(rela->r_info), &s))
    return false;
  if (s.section == SHN_UNDEF)
    return intern_find(o->hidden, s.name) != SIZE_MAX;
  return (s.section < SHN_LORESERVE || s.section > SHN_HIRESERVE) &&
         (s.type == STT_FUNC || s.type == STT_SECTION) && (s.bind == STB_LOCAL || is_hidden(&s));
}

/* ---- a table's relocations ---- */

/* Call EACH for those of TABLE, which it may write back; false if one of them returns false. */
static bool each_relocation(struct object *o, const struct place *table,
                            bool (*each)(const struct object *, const struct place *, Elf64_Rela *, size_t *),
                            size_t *n) {
  struct elf_section section;
  for (size_t i = 0; i < o->e.sections; i++) {
    if (!elf_section(&o->e, i, &section) || section.type != SHT_RELA || section.info != table->section ||
        !section.data)
      continue;
    unsigned char *at = o->bytes + (section.data - o->e.data), *end = at + section.size;
    for (Elf64_Rela rela; (size_t)(end - at) >= sizeof rela; at += sizeof rela) {
      memcpy(&rela, at, sizeof rela);
      if (rela.r_offset < table->start || rela.r_offset >= table->end)
        continue;
      if (!each(o, table, &rela, n))
        return false;
      memcpy(at, &rela, sizeof rela);
    }
  }
  return true;
}

static bool check(const struct object *o, const struct place *table, Elf64_Rela *rela, size_t *self) {
  if (is_self(o, table, rela))
    return ++*self == 1;
  return rela->r_offset >= table->start + sizeof(struct head) && stays_here(o, rela);
}

static bool turn(const struct object *o, const struct place *table, Elf64_Rela *rela, size_t *n) {
  uint64_t at = rela->r_offset - table->start;
  (void)n;
  if (at == offsetof(struct head, self)) {
    rela->r_offset = table->start + offsetof(struct head, base);
    return true;
  }
  rela->r_info = ELF64_R_INFO(ELF64_R_SYM(rela->r_info), (uint64_t)o->machine->distance64);
  rela->r_addend += (int64_t)at; /* the relocation's distance is from its own place */
  return true;
}

/* Make distances of the addresses in the LEN bytes of an object, as far as that can be; returns of
 * how many tables. */
static size_t turn_tables(char *bytes, size_t len, const struct intern *hidden) {
  struct object o = {.bytes = (unsigned char *)bytes, .hidden = hidden};
  struct elf_symbol s;
  struct place table;
  size_t turned = 0;
  if (!elf_open(&o.e, bytes, len, NULL) || o.e.type != ET_REL || !elf_symtab(&o.e, SHT_SYMTAB, &o.symbols))
    return 0;
  o.machine = ckjit_machine_of(o.e.machine);
  for (size_t i = 0; o.machine && i < o.symbols.count; i++) {
    size_t self = 0;
    if (elf_symbol(&o.symbols, i, &s) && read_table(&o, &s, &table) &&
        each_relocation(&o, &table, check, &self) && self && each_relocation(&o, &table, turn, NULL))
      turned++;
  }
  return turned;
}

/* ---- the link ---- */

/* Add the functions that OBJECT defines and hides. */
static void add_hidden(struct intern *hidden, const char *object) {
  struct elf_symbols all;
  struct elf_symbol s;
  elf_symbols_open(&all, object, SHT_SYMTAB);
  while (elf_symbols_next(&all, &s))
    if (s.type == STT_FUNC && s.section != SHN_UNDEF && s.bind != STB_LOCAL && is_hidden(&s))
      intern(hidden, s.name);
  elf_symbols_close(&all);
}

/* Link NEW in place of OLD for D, where it is named and in containers. */
static void replace(struct link *l, const struct dispatcher *d, const char *old, const char *new) {
  for (size_t i = 0; i < l->objs.n; i++)
    if (strcmp(l->objs.args[i], old) == 0) {
      free(l->objs.args[i]);
      l->objs.args[i] = xstrdup(new);
    }
  link_put_object(l, d->record, new);
}

static void turn_dispatcher(struct link *l, struct dispatcher *d, const struct intern *hidden) {
  size_t len;
  autofree char *bytes = file_read(d->object, &len);
  if (bytes && turn_tables(bytes, len, hidden)) {
    char *near = xasprintf("%s/objs/near-%s", l->dir, path_base(d->object));
    if (!file_update(near, bytes, len, 0666))
      die(EXIT_FAILED, "%s: cannot be written: %s", near, strerror(errno));
    replace(l, d, d->object, near);
    d->near = near;
  }
}

/* Is one of the dispatchers with distances in a container? */
static bool any_contained(const struct link *l) {
  bool any = false;
  for (size_t i = 0; i < l->ndispatchers; i++)
    any |= l->dispatchers[i].near && l->line.places[l->dispatchers[i].record - l->line.records].contained;
  return any;
}

void link_turn_tables(struct link *l) {
  autofree_intern hidden = {0};
  bool read = false;
  for (size_t i = 0; i < l->ndispatchers; i++) {
    struct dispatcher *d = &l->dispatchers[i];
    if (!d->stats.tables)
      continue;
    for (size_t k = 0; k < l->objs.n && !read; k++)
      add_hidden(&hidden, l->objs.args[k]);
    for (size_t k = 0; k < l->line.nrecords && !read; k++)
      if (l->objects[k] && !l->line.places[k].named)
        add_hidden(&hidden, l->objects[k]);
    read = true;
    turn_dispatcher(l, d, &hidden);
  }
  if (any_contained(l))
    link_copy_containers(l);
}

bool link_turn_back(struct link *l) {
  bool any = false, contained = any_contained(l);
  for (size_t i = 0; i < l->ndispatchers; i++) {
    struct dispatcher *d = &l->dispatchers[i];
    if (!d->near)
      continue;
    replace(l, d, d->near, d->object);
    free(d->near);
    d->near = NULL;
    any = true;
  }
  if (contained)
    link_copy_containers(l);
  return any;
}
