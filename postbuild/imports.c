/* imports.c - the library's symbols that what is loaded apart from it may need.
 *
 * Only the compile at a first call tells what a blob leaves undefined. A regular link would take
 * that from the library's other objects, which mostly hide it, so this link writes a table: the
 * hash of a symbol's name, and its address (struct ckjit_import). The runtime looks there first,
 * then where the library itself would (runtime/ck_jit_imports.c), so what is exported could be
 * missing here. A symbol is in the table if its last name is a word of a blob's text or of a header
 * of the build; and each variable of which the linker keeps one of the objects' copies (static in an
 * inline function, inline, of a template), with its guard: what is loaded apart has a copy of it,
 * too, and uses the library's instead. Of such a variable that is thread-local the table has the
 * address of a function, which returns that of the calling thread's. The table's references are
 * weak: they take no member of an archive into the link.
 *
 * Not in it: other thread-local variables, the host stubs of kernels, functions of members of archives,
 * which nothing else may take. A blob that needs those goes ahead of time (needs.c).
 */
#include "imports.h"
#include "mangled.h"
#include "link.h"

#include "abi/ck_jit_abi.h"
#include "core/base/elf.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"
#include "core/cxx/cxxwords.h"
#include "core/files/stubobj.h"

enum {
  SEC_NULL,
  SEC_TABLE,
  SEC_RELA,
  SEC_TEXT,
  SEC_TEXT_RELA,
  NSECTIONS,
  SEC_SYMTAB = NSECTIONS + ELF_SYMTAB
};

struct imports {
  /* words of the texts, names of symbols, and those of thread-local variables */
  struct intern words, symbols, variables;
};

bool imports_of_record(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->section < SHN_LORESERVE && elf_section(e, sym->section, &section) &&
         strcmp(section.name, STUBS_NAMES) == 0;
}

bool imports_may(const struct elf *e, const struct elf_symbol *sym) {
  return sym->section != SHN_UNDEF && sym->bind != STB_LOCAL && *sym->name && sym->type != STT_TLS &&
         !strstr(sym->name, "__device_stub__") && !imports_of_record(e, sym);
}

/* Is SYM a thread-local variable that any object may have? Each is written. */
static bool is_of_thread(const struct elf_symbol *sym) {
  return sym->type == STT_TLS && sym->section != SHN_UNDEF &&
         (sym->bind == STB_WEAK || sym->bind == STB_GNU_UNIQUE);
}

bool imports_is_one_copy(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  if (is_of_thread(sym))
    return true;
  return sym->type == STT_OBJECT && (sym->bind == STB_WEAK || sym->bind == STB_GNU_UNIQUE) &&
         !strchr(sym->name, '.') && elf_section(e, sym->section, &section) && (section.flags & SHF_WRITE) &&
         !str_starts(section.name, ".data.rel.ro");
}

static void add_words(struct imports *m, const char *file) {
  size_t len;
  autofree char *text = file_read_text(file, &len);
  for (struct cxx_word w = cxx_word(text ? text : ""); w.n; w = cxx_word(w.p + w.n))
    intern_bytes(&m->words, w.p, w.n);
}

/* Does a text say the last name of SYMBOL? Of operators it says none. */
static bool is_said(const struct imports *m, const char *symbol) {
  autofree char *last = mangled_last(symbol);
  return strcmp(last, "operator") == 0 || intern_find(&m->words, last) != SIZE_MAX;
}

static void add_symbol(struct imports *m, const char *symbol) {
  if (intern_find(&m->symbols, symbol) == SIZE_MAX && is_said(m, symbol))
    intern(&m->symbols, symbol);
}

struct reading {
  struct imports *m;
  bool archived;
};

static bool read_symbols(const struct elf *e, const unsigned char *data, size_t size, const char *member,
                         void *user) {
  const struct reading *r = user;
  struct elf_symtab t;
  struct elf_symbol sym;
  (void)data, (void)size;
  bool symbols = elf_symtab(e, SHT_SYMTAB, &t);
  for (size_t i = 0; symbols && i < t.count; i++) {
    if (!elf_symbol(&t, i, &sym))
      continue;
    if (is_of_thread(&sym))
      intern(&r->m->variables, sym.name);
    if (!imports_may(e, &sym))
      continue;
    if (imports_is_one_copy(e, &sym))
      intern(&r->m->symbols, sym.name);
    else if (!member && !r->archived)
      add_symbol(r->m, sym.name);
  }
  return true;
}

/* Read FILE, an object or an archive. ARCHIVED: the object is in one. */
static void read_object(struct imports *m, const char *file, bool archived) {
  char *err = NULL;
  if (elf_file_is(file, ET_DYN))
    return;
  if (!stub_sections_file(file, ".symtab", read_symbols, &(struct reading){m, archived}, &err))
    free(err);
}

static bool read_input(const char *file, const struct cc_input *in, void *user) {
  (void)in;
  read_object(user, file, false);
  return true;
}

/* All that this link defines: objects of the build, its own, and stubs. */
static void read_all(struct imports *m, const struct link *l) {
  ccargs_link_files(&l->line.scan, read_input, m);
  /* the linker may leave out what is in an archive */
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (l->objects[i])
      read_object(m, l->objects[i], l->line.places[i].contained);
  for (size_t i = 0; i < l->lazy.n; i++)
    if (l->lazy.list[i].made)
      read_object(m, l->lazy.list[i].file, false);
  for (size_t k = 0; k < l->units.nunits; k++) {
    const struct unit *un = &l->units.units[k];
    for (size_t i = 0; i < un->nblobs; i++) {
      const struct blob *b = un->blobs[i];
      for (size_t j = 0; j < b->functions.n; j++) {
        const struct stub *stub = &un->forward[b->first_function + j];
        bool called = b->late ? blob_links_stub(b, j) : !b->apart && l->blobs_call_blobs;
        if (called && stub->name)
          add_symbol(m, stub->name);
      }
    }
  }
}

/* What the blobs that are compiled later can say. */
static bool read_texts(struct imports *m, const struct link *l) {
  bool any = false;
  for (size_t i = 0; i < l->nblobs; i++) {
    const struct blob *b = &l->blobs[i];
    if (!blob_is_forwarded(b))
      continue;
    any = true;
    add_words(m, b->record->source);
    for (size_t k = 0; k < b->parts.n; k++)
      add_words(m, b->parts.args[k]);
  }
  for (size_t i = 0; any && i < l->headers.words.texts.n; i++)
    intern(&m->words, l->headers.words.texts.args[i]);
  return any;
}

static int by_hash(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The object with the table, while it is written. */
struct object {
  const struct ckjit_machine *machine;
  struct buf symbols, names, table, rela, text, text_rela;
  uint32_t nsymbols;
};

/* Returns the number of the symbol. The local ones come first. */
static uint32_t new_symbol(struct object *o, const char *name, Elf64_Sym sym) {
  if (name) {
    sym.st_name = (uint32_t)o->names.len;
    buf_add(&o->names, name, strlen(name) + 1);
  }
  buf_add(&o->symbols, &sym, sizeof sym);
  return o->nsymbols++;
}

static void new_rela(struct buf *to, uint64_t at, uint32_t symbol, uint32_t type, int64_t addend) {
  const Elf64_Rela r = {.r_offset = at, .r_info = ELF64_R_INFO((uint64_t)symbol, type), .r_addend = addend};
  buf_add(to, &r, sizeof r);
}

static bool has_hole(const struct ckjit_form *form, enum ckjit_hole_of of) {
  bool has = false;
  for (size_t i = 0; i < CKJIT_HOLES_MAX; i++)
    has |= form->holes[i].of == of;
  return has;
}

/* The function that finds thread-local variable number N. */
static void write_getter(struct object *o, size_t n, uint32_t variable, uint32_t getter) {
  const struct ckjit_form *form = &o->machine->thread;
  for (const struct ckjit_hole *h = form->holes; h < form->holes + CKJIT_HOLES_MAX && h->of; h++)
    new_rela(&o->text_rela, n * form->size + h->at, h->of == CKJIT_HOLE_GETTER ? getter : variable,
             h->relocation, h->addend);
  buf_add(&o->text, form->bytes, form->size);
}

/* The rows of M, by their hashes. */
static void write_rows(struct object *o, const struct imports *m) {
  const size_t nothers = m->symbols.texts.n, n = nothers + m->variables.texts.n;
  autofree struct row {
    uint64_t hash;
    const char *name;
    bool of_thread;
  } *rows = xcalloc(n + 1, sizeof *rows);
  for (size_t i = 0; i < n; i++) {
    const char *name = i < nothers ? m->symbols.texts.args[i] : m->variables.texts.args[i - nothers];
    rows[i] = (struct row){ckjit_fnv1a(name, strlen(name)), name, i >= nothers};
  }
  qsort(rows, n, sizeof *rows, by_hash);
  const uint32_t text = o->nsymbols - 2, getter = o->nsymbols - 1;
  size_t getters = 0;
  buf_add(&o->table, &(struct ckjit_import){.hash = n}, sizeof(struct ckjit_import));
  for (size_t i = 0; i < n; i++) {
    const uint64_t at = o->table.len + offsetof(struct ckjit_import, address);
    const int type = rows[i].of_thread ? STT_TLS : STT_NOTYPE;
    uint32_t symbol = new_symbol(o, rows[i].name, (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_WEAK, type)});
    buf_add(&o->table, &(struct ckjit_import){.hash = rows[i].hash}, sizeof(struct ckjit_import));
    new_rela(&o->rela, at, rows[i].of_thread ? text : symbol, o->machine->absolute64,
             rows[i].of_thread ? (int64_t)(getters * o->machine->thread.size) : 0);
    if (rows[i].of_thread)
      write_getter(o, getters++, symbol, getter);
  }
}

static struct elf_part part_of(const char *name, const struct buf *data, uint32_t type, uint64_t flags) {
  return (struct elf_part){
      name, data->data, {.sh_type = type, .sh_flags = flags, .sh_size = data->len, .sh_addralign = 8}};
}

static struct elf_part rela_of(const char *name, const struct buf *data, uint32_t of) {
  struct elf_part part = part_of(name, data, SHT_RELA, SHF_INFO_LINK);
  part.header.sh_link = SEC_SYMTAB;
  part.header.sh_info = of;
  part.header.sh_entsize = sizeof(Elf64_Rela);
  return part;
}

/* The object FILE with the table. */
static void write_table(const struct imports *m, const struct ckjit_machine *machine, const char *file) {
  struct object o = {.machine = machine};
  autofree_buf out = {0};
  buf_add(&o.names, "", 1);
  new_symbol(&o, NULL, (Elf64_Sym){0});
  if (m->variables.texts.n) {
    new_symbol(&o, NULL, (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = SEC_TEXT});
    int bind = has_hole(&machine->thread, CKJIT_HOLE_GETTER) ? STB_GLOBAL : STB_WEAK;
    new_symbol(&o, "__tls_get_addr", (Elf64_Sym){.st_info = ELF64_ST_INFO(bind, STT_NOTYPE)});
  }
  write_rows(&o, m);
  new_symbol(&o, "ckjit_imports",
             (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                         .st_other = STV_HIDDEN,
                         .st_shndx = SEC_TABLE,
                         .st_size = o.table.len});
  const uint64_t data = SHF_ALLOC | SHF_WRITE, code = SHF_ALLOC | SHF_EXECINSTR;
  struct elf_part parts[NSECTIONS + ELF_LAST] = {
      [SEC_TABLE] = part_of(".data.rel.ro.ckjit", &o.table, SHT_PROGBITS, data),
      [SEC_RELA] = rela_of(".rela.data.rel.ro.ckjit", &o.rela, SEC_TABLE),
      [SEC_TEXT] = part_of(".text", &o.text, SHT_PROGBITS, code),
      [SEC_TEXT_RELA] = rela_of(".rela.text", &o.text_rela, SEC_TEXT),
  };
  const struct elf_last last = {.symbols = o.symbols.data,
                                .symbols_size = o.symbols.len,
                                .locals = m->variables.texts.n ? 2 : 1,
                                .names = o.names.data,
                                .names_size = o.names.len,
                                .property = machine->property,
                                .property_size = machine->property_size};
  elf_write_last(&out, machine->elf, parts, NSECTIONS, &last, 8);
  if (!file_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write the table of what blobs may need: %s", file, strerror(errno));
  struct buf *const all[] = {&o.symbols, &o.names, &o.table, &o.rela, &o.text, &o.text_rela};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    buf_free(all[i]);
}

void link_write_imports(struct link *l) {
  struct imports m = {0};
  if (read_texts(&m, l))
    read_all(&m, l);
  if (m.symbols.texts.n || m.variables.texts.n) {
    char *file = path_join(l->dir, "objs/ckjit_imports.o");
    write_table(&m, link_machine(l), file);
    argv_add_own(&l->objs, file);
  }
  intern_free(&m.words);
  intern_free(&m.symbols);
  intern_free(&m.variables);
}
