/* imports.c - the library's symbols that what is loaded apart from it may need.
 *
 * Only the compile at a first call tells what a blob leaves undefined. A regular link would take
 * that from the library's other objects, which mostly hide it, so this link writes a table: the
 * hash of a symbol's name, and its address (struct ckjit_import). The runtime looks there first,
 * then where the library itself would (runtime/ck_jit_imports.c), so what is exported could be
 * missing here. A symbol is in the table if its last name is a word of a blob's text or of a header
 * of the build; and each variable of which the linker keeps one of the objects' copies (static in an
 * inline function, inline, of a template), with its guard: what is loaded apart has a copy of it,
 * too, and uses the library's instead. The table's references are weak: they take no member of an
 * archive into the link.
 *
 * Not in it: thread-local variables, the host stubs of kernels, functions of members of archives,
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

enum { SEC_NULL, SEC_TABLE, SEC_RELA, NSECTIONS, SEC_SYMTAB = NSECTIONS + ELF_SYMTAB };

struct imports {
  /* words of the texts, and names of symbols */
  struct intern words, symbols;
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

bool imports_is_one_copy(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
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
    if (!elf_symbol(&t, i, &sym) || !imports_may(e, &sym))
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
      bool called = !b->apart && (b->late || l->blobs_call_blobs);
      for (size_t j = 0; called && j < b->functions.n; j++) {
        const struct stub *stub = &un->forward[b->first_function + j];
        if (stub->name)
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

/* The object FILE with the table. */
static void write_table(const struct imports *m, const struct ckjit_machine *machine, const char *file) {
  const size_t n = m->symbols.texts.n;
  autofree struct row {
    uint64_t hash;
    const char *name;
  } *rows = xcalloc(n + 1, sizeof *rows);
  autofree struct ckjit_import *table = xcalloc(n + 1, sizeof *table);
  autofree_buf rela = {0}, symbols = {0}, names = {0}, out = {0};
  for (size_t i = 0; i < n; i++)
    rows[i] = (struct row){ckjit_fnv1a(m->symbols.texts.args[i], strlen(m->symbols.texts.args[i])),
                           m->symbols.texts.args[i]};
  qsort(rows, n, sizeof *rows, by_hash);
  table[0].hash = n;
  buf_add(&names, "", 1);
  buf_add(&symbols, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
  Elf64_Sym sym = {.st_name = (uint32_t)names.len,
                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                   .st_other = STV_HIDDEN,
                   .st_shndx = SEC_TABLE,
                   .st_size = (n + 1) * sizeof *table};
  buf_add(&symbols, &sym, sizeof sym);
  buf_add(&names, "ckjit_imports", sizeof "ckjit_imports");
  for (size_t i = 0; i < n; i++) {
    table[i + 1].hash = rows[i].hash;
    sym = (Elf64_Sym){.st_name = (uint32_t)names.len, .st_info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE)};
    Elf64_Rela r = {.r_offset = (i + 1) * sizeof *table + offsetof(struct ckjit_import, address),
                    .r_info = ELF64_R_INFO((uint64_t)i + 2, machine->absolute64)};
    buf_add(&symbols, &sym, sizeof sym);
    buf_add(&names, rows[i].name, strlen(rows[i].name) + 1);
    buf_add(&rela, &r, sizeof r);
  }
  struct elf_part parts[NSECTIONS + ELF_LAST] = {
      [SEC_TABLE] = {".data.rel.ro.ckjit",
                     table,
                     {.sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_ALLOC | SHF_WRITE,
                      .sh_size = (n + 1) * sizeof *table,
                      .sh_addralign = 8}},
      [SEC_RELA] = {".rela.data.rel.ro.ckjit",
                    rela.data,
                    {.sh_type = SHT_RELA,
                     .sh_flags = SHF_INFO_LINK,
                     .sh_size = rela.len,
                     .sh_link = SEC_SYMTAB,
                     .sh_info = SEC_TABLE,
                     .sh_addralign = 8,
                     .sh_entsize = sizeof(Elf64_Rela)}},
  };
  const struct elf_last last = {.symbols = symbols.data,
                                .symbols_size = symbols.len,
                                .locals = 1,
                                .names = names.data,
                                .names_size = names.len,
                                .property = machine->property,
                                .property_size = machine->property_size};
  elf_write_last(&out, machine->elf, parts, NSECTIONS, &last, 8);
  if (!file_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write the table of what blobs may need: %s", file, strerror(errno));
}

void link_write_imports(struct link *l) {
  struct imports m = {0};
  if (read_texts(&m, l))
    read_all(&m, l);
  if (m.symbols.texts.n) {
    char *file = path_join(l->dir, "objs/ckjit_imports.o");
    write_table(&m, link_machine(l), file);
    argv_add_own(&l->objs, file);
  }
  intern_free(&m.words);
  intern_free(&m.symbols);
}
