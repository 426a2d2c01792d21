/* embed.c - the manifest written: tables for the library and its runtime, JSON for everybody else.
 *
 * The tables are rows of the structs of abi/ck_jit_abi.h, in an object that is written without a
 * compiler: one needs half a second for the 23,472 functions of CK's bwd as C, and would have to
 * compile the runtime anew for each library. All text is in one table of strings, and rows have
 * offsets into it. The lists of inputs go into a section of their own, so that a library that was
 * copied away from its install tree has them with it.
 */
#include "embed.h"

#include "link.h"
#include "linklibs.h"

#include "core/base/elfwrite.h"
#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/cache/inputs.h"
#include "core/cache/toolchain.h"
#include "core/cc/compiler.h"
#include "core/files/sourcebundle.h"

#include "abi/ck_jit_abi.h"
#include "abi/ck_jit_bundle.h"

/* ---- strings of the tables ---- */

/* All texts, a NUL after each; offset 0 is the empty one. The last directory is remembered, because
 * blobs come in runs of one directory. */
struct strings {
  struct buf bytes;
  char *last;
  uint32_t last_at;
};

static uint32_t strings_add(struct strings *s, const char *text) {
  if (!*text)
    return 0;
  uint32_t at = (uint32_t)s->bytes.len;
  buf_add(&s->bytes, text, strlen(text) + 1);
  return at;
}

/* Flags, or another TEXT with names of the build: as abi/ck_jit_bundle.h says if there is a bundle. */
static uint32_t strings_add_words(struct strings *s, const char *text, bool bundle) {
  autofree char *hidden = xasprintf("%c%s", CKJIT_SLASH, text);
  for (char *c = hidden; (c = strchr(c, '/'));)
    *c = CKJIT_SLASH;
  return strings_add(s, bundle ? hidden : text);
}

static uint32_t strings_repeat(struct strings *s, const char *text) {
  if (!s->last || strcmp(s->last, text) != 0) {
    free(s->last);
    s->last = xstrdup(text);
    s->last_at = strings_add(s, text);
  }
  return s->last_at;
}

/* ---- the tables ---- */

enum { SEC_NULL, SEC_TABLES, SEC_INPUTS, SEC_BUILD, SEC_STATE, NSECTIONS };

/* all tables: their bytes, and the symbols that give them names */
struct tables {
  struct buf bytes, symbols, names;
  struct buf inputs, build; /* other sections */
  size_t state;             /* bytes of zeros */
  struct ckjit_facts facts;
};

/* NAME is the N bytes at AT of section SECTION. */
static void add_symbol(struct tables *t, const char *name, uint16_t section, size_t at, size_t n) {
  Elf64_Sym s = {.st_name = (uint32_t)t->names.len,
                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                 .st_other = STV_HIDDEN,
                 .st_shndx = section,
                 .st_value = at,
                 .st_size = n};
  buf_add(&t->symbols, &s, sizeof s);
  buf_add(&t->names, name, strlen(name) + 1);
}

static void add_table(struct tables *t, const char *name, const void *bytes, size_t n) {
  static const char padding[8];
  add_symbol(t, name, SEC_TABLES, t->bytes.len, n);
  buf_add(&t->bytes, bytes, n);
  buf_add(&t->bytes, padding, (size_t)-t->bytes.len % 8);
}

/* NAME is N zeros that the process writes to. */
static void add_state(struct tables *t, const char *name, size_t n) {
  add_symbol(t, name, SEC_STATE, t->state, n);
  t->state += n;
}

static void add_groups(struct tables *t, struct strings *s, const struct manifest *m, bool bundle) {
  autofree struct ckjit_group *rows = xcalloc(m->ngroups, sizeof *rows);
  for (size_t g = 0; g < m->ngroups; g++) {
    autofree char *flags = argv_join(m->groups[g].flags.args), *link = argv_join(m->groups[g].link.args);
    autofree_buf archs = {0};
    buf_add(&archs, "", 0);
    for (size_t i = 0; i < m->groups[g].archs.n; i++)
      buf_printf(&archs, "%s%s", i ? ";" : "", m->groups[g].archs.args[i]);
    rows[g].flags = strings_add_words(s, flags, bundle);
    rows[g].link = strings_add_words(s, link, bundle);
    rows[g].archs = strings_add(s, archs.data);
    rows[g].inputs = strings_add(s, m->groups[g].inputs);
  }
  add_table(t, "ckjit_groups", rows, m->ngroups * sizeof *rows);
}

static void add_blobs(struct tables *t, struct strings *s, const struct manifest *m) {
  autofree struct ckjit_blob *rows = xcalloc(m->nblobs, sizeof *rows);
  for (size_t i = 0; i < m->nblobs; i++) {
    const char *source = m->blobs[i].source, *slash = strrchr(source, '/');
    autofree char *dir = xstrndup(source, slash ? (size_t)(slash - source) : 0);
    rows[i].dir = *dir ? strings_repeat(s, dir) : 0;
    rows[i].name = strings_add(s, slash && *dir ? slash + 1 : source);
    rows[i].group = (uint32_t)m->blobs[i].group;
    memcpy(rows[i].key, m->blobs[i].key, sizeof rows[i].key);
  }
  add_table(t, "ckjit_blobs", rows, m->nblobs * sizeof *rows);
}

/* Add the functions of all units, and where those of each object with stubs begin. */
static void add_functions(struct tables *t, struct strings *s, const struct units *u) {
  size_t n = 0, blob = 0, function = 0;
  for (size_t k = 0; k < u->nunits; k++)
    n += u->units[k].nfunctions;
  autofree struct ckjit_function *rows = xcalloc(n, sizeof *rows);
  autofree uint32_t *first = xcalloc(units_objects(u) + 1, sizeof *first);
  uint32_t object = 0;
  for (size_t k = 0; k < u->nunits; k++) {
    const struct unit *un = &u->units[k];
    first[object++] = (uint32_t)function;
    size_t f = 0;
    for (size_t i = 0; i < un->nblobs; i++) {
      const struct blob *b = un->blobs[i];
      if (b->apart)
        first[object++] = (uint32_t)function;
      for (size_t j = 0; j < b->functions.n; j++, f++) {
        size_t row = blob + (b->ncombinations ? b->combination_of[j] : 0);
        rows[function++] = (struct ckjit_function){.blob = (uint32_t)row,
                                                   .name = strings_add(s, un->hidden[f] ? un->names[f] : ""),
                                                   .hash = un->hashes[f]};
      }
      blob += blob_entries(b);
    }
  }
  first[object] = (uint32_t)function;
  add_table(t, "ckjit_functions", rows, function * sizeof *rows);
  add_table(t, "ckjit_unit_first", first, (object + 1) * sizeof *first);
  t->facts.functions = (uint32_t)function;
  t->facts.units = object;
}

/* Add the stems that are not those of their sources: of blobs with several combinations. */
static void add_stems(struct tables *t, struct strings *s, const struct manifest *m) {
  autofree struct ckjit_combination *rows = xcalloc(m->nblobs + 1, sizeof *rows);
  uint32_t n = 0;
  for (size_t i = 0; i < m->nblobs; i++) {
    autofree char *stem = path_stem(m->blobs[i].source);
    if (strcmp(stem, m->blobs[i].stem) != 0)
      rows[n++] = (struct ckjit_combination){(uint32_t)i, strings_add(s, m->blobs[i].stem)};
  }
  add_table(t, "ckjit_combinations", rows, n * sizeof *rows);
  t->facts.combinations = n;
}

/* Add the blobs that are compiled into the library. */
static void add_linked(struct tables *t, const struct manifest *m) {
  autofree uint32_t *rows = xcalloc(m->nblobs + 1, sizeof *rows);
  uint32_t n = 0;
  for (size_t i = 0; i < m->nblobs; i++)
    if (m->blobs[i].linked)
      rows[n++] = (uint32_t)i;
  add_table(t, "ckjit_linked", rows, n * sizeof *rows);
  t->facts.linked = n;
}

/* Add the key that the kernels of each unit with -rdc=true have since they are linked with other units. */
static void add_linked_units(struct tables *t, struct strings *s, const struct lazy_units *u) {
  autofree struct ckjit_linked_unit *rows = xcalloc(u->n + 1, sizeof *rows);
  uint32_t n = 0;
  for (size_t i = 0; i < u->n; i++)
    if (u->list[i].own)
      rows[n++] = (struct ckjit_linked_unit){.own = strings_add(s, u->list[i].own->key),
                                             .key = strings_add(s, u->list[i].record->key)};
  add_table(t, "ckjit_linked_units", rows, n * sizeof *rows);
  t->facts.linked_units = n;
}

static void write_file(const struct embed *e, const char *name, const struct buf *b) {
  autofree char *file = path_join(e->dir, name);
  if (!file_update(file, b->data, b->len, 0666))
    die(EXIT_FAILED, "%s: cannot write the embedded manifest: %s", file, strerror(errno));
}

/* The lists of inputs (core/cache/inputs.h), each once, a NUL after each. */
static void add_lists(struct buf *out, const struct embed *e) {
  if (e->bundle && e->lists.n)
    buf_putc(out, CKJIT_SLASH);
  for (size_t g = 0; g < e->lists.n; g++) {
    bool again = false;
    for (size_t i = 0; i < g; i++)
      again |= strcmp(e->lists.args[i], e->lists.args[g]) == 0;
    autofree char *file = xasprintf("%s/" INPUTS_DIR "/%s", e->dir, e->lists.args[g]);
    size_t len;
    autofree char *text = again ? NULL : file_read(file, &len);
    if (text)
      buf_add(out, text, len + 1);
  }
  for (char *c = out->data; e->bundle && (c = memchr(c, '/', (size_t)(out->data + out->len - c)));)
    *c = CKJIT_SLASH;
  buf_add(out, "", 1);
}

static struct elf_part constants(const char *section, const struct buf *bytes, size_t align) {
  return (struct elf_part){
      section,
      bytes->data,
      {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_size = bytes->len, .sh_addralign = align}};
}

/* Write the object NAME with the symbols of T and the first N sections, SECTION first. It says that it
 * may be linked with any code: a compiler's objects say so, too. */
static void write_parts(const struct embed *e, const char *name, struct tables *t, const char *section,
                        size_t n) {
  struct elf_part parts[NSECTIONS + ELF_LAST] = {
      [SEC_TABLES] = constants(section, &t->bytes, 8),
      [SEC_INPUTS] = constants(INPUTS_SECTION, &t->inputs, 1),
      [SEC_BUILD] = constants(CKJIT_BUILD_SECTION, &t->build, 1),
      [SEC_STATE] = {".bss",
                     NULL,
                     {.sh_type = SHT_NOBITS,
                      .sh_flags = SHF_ALLOC | SHF_WRITE,
                      .sh_size = t->state,
                      .sh_addralign = 8}},
  };
  const struct elf_last last = {.symbols = t->symbols.data,
                                .symbols_size = t->symbols.len,
                                .locals = 1,
                                .names = t->names.data,
                                .names_size = t->names.len,
                                .property = e->machine->property,
                                .property_size = e->machine->property_size};
  autofree_buf out = {0};
  elf_write_last(&out, e->machine->elf, parts, n, &last, 8);
  write_file(e, name, &out);
  buf_free(&t->bytes);
  buf_free(&t->symbols);
  buf_free(&t->names);
  buf_free(&t->inputs);
  buf_free(&t->build);
}

static void tables_begin(struct tables *t) {
  *t = (struct tables){0};
  buf_add(&t->symbols, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
  buf_add(&t->names, "", 1);
}

/* NAME is a place of the build; a library that is given away has none. */
static void add_place(struct tables *t, const struct embed *e, const char *name, const char *place) {
  const char *text = e->bundle || !place ? "" : place;
  add_symbol(t, name, SEC_BUILD, t->build.len, strlen(text) + 1);
  buf_add(&t->build, text, strlen(text) + 1);
}

static void add_places(struct tables *t, const struct embed *e) {
  autofree char *compile = install_program("ckjit-compile"), *inputs = path_join(e->dir, INPUTS_DIR);
  add_place(t, e, "ckjit_build_root", e->root);
  add_place(t, e, "ckjit_build_compile", compile);
  add_place(t, e, "ckjit_build_inputs", inputs);
}

/* Add what is known of the library as a whole; the tables are counted. */
static void add_facts(struct tables *t, struct strings *s, const struct embed *e, const struct manifest *m) {
  const char *name = env_get("CK_JIT_NAME"), *root = env_get("CK_JIT_ROOT");
  struct ckjit_facts *l = &t->facts;
  l->name = strings_add(s, name ? name : "ck_jit");
  l->root = strings_add(s, root ? root : "");
  l->compiler = strings_add(s, e->compiler);
  l->kind = strings_add(s, e->compiler_kind->kind);
  l->variable = strings_add(s, e->compiler_kind->variable);
  l->blobs = (uint32_t)m->nblobs;
  l->lazy_units = (uint32_t)lazy_units_rows(e->lazy);
  for (size_t i = 0; i < m->nblobs; i++)
    l->late_units += m->blobs[i].late;
  l->bundled = e->bundle;
  add_table(t, CKJIT_FACTS, l, sizeof *l);
}

/* Write all tables. */
static void write_tables(const struct embed *e, const struct units *u, const struct manifest *m) {
  struct tables t;
  struct strings s = {0};
  tables_begin(&t);
  buf_add(&s.bytes, "", 1);
  add_groups(&t, &s, m, e->bundle);
  add_blobs(&t, &s, m);
  add_functions(&t, &s, u);
  add_stems(&t, &s, m);
  add_linked(&t, m);
  add_linked_units(&t, &s, e->lazy);
  add_facts(&t, &s, e, m);
  add_table(&t, "ckjit_strings", s.bytes.data, s.bytes.len);
  add_places(&t, e);
  add_lists(&t.inputs, e);
  add_symbol(&t, "ckjit_inputs", SEC_INPUTS, 0, t.inputs.len);
  add_state(&t, "ckjit_blob_states", m->nblobs * sizeof(struct ckjit_blob_state));
  add_state(&t, "ckjit_slots_of_unit", t.facts.units * sizeof(void *));
  add_state(&t, "ckjit_captured_address", t.facts.functions * sizeof(void *));
  if (!e->bundle) /* else they are in EMBED_BUNDLE */
    for (int end = 0; end < 2; end++)
      add_symbol(&t, end ? "ckjit_bundle_end" : "ckjit_bundle", SEC_TABLES, 0, 0);
  write_parts(e, EMBED_TABLES, &t, ".rodata.ckjit", NSECTIONS);
  buf_free(&s.bytes);
  free(s.last);
}

/* ---- the bundle ---- */

/* Is FILE on no machine but this one? */
static bool is_only_here(const struct link *l, const char *file) {
  autofree char *dir = path_dir(file);
  return !path_within(file, "/usr") && !link_is_of_system(l, dir);
}

/* The first header of LIST that is only here and not carried; NULL: none is. free() it. */
static char *uncarried_of(const struct link *l, const struct embed *e, const char *list) {
  autofree char *file = xasprintf("%s/" INPUTS_DIR "/%s", e->dir, list), *err = NULL;
  struct inputs *in = inputs_read(file, &err);
  char *found = NULL;
  for (size_t i = 0; in && i < in->nheaders && !found; i++)
    if (*in->header[i].path == '/' && strcmp(in->header[i].digest, DIGEST_NONE) != 0 &&
        is_only_here(l, in->header[i].path))
      found = xstrdup(in->header[i].path);
  inputs_free(in);
  return found;
}

/* The first file that F includes by an absolute name and that is only here; NULL: there is none. free()
 * it. */
static char *absolute_of(const struct link *l, const struct sourcebundle_file *f) {
  static const char include[] = "#include \"/";
  const char *at = f->bytes, *end = f->bytes + f->size;
  while ((at = memmem(at, (size_t)(end - at), include, strlen(include)))) {
    at += strlen(include) - 1;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    char *name = quote ? xstrndup(at, (size_t)(quote - at)) : NULL;
    if (name && is_only_here(l, name))
      return name;
    free(name);
  }
  return NULL;
}

/* Warn of a header that another machine will lack: of the lists of inputs, or one that FILES, the
 * carried tree, include. */
static void tell_uncarried(const struct link *l, const struct embed *e,
                           const struct sourcebundle_files *files) {
  autofree char *header = NULL, *absolute = NULL;
  for (size_t i = 0; i < e->lists.n && !header; i++)
    header = uncarried_of(l, e, e->lists.args[i]);
  if (header)
    warn("%s: its bundle does not carry %s, which is outside of %s and of all -I directories: its kernels "
         "will not compile on a machine without it; set CK_JIT_BASE to a directory that has both, and "
         "build again [ckjit help bundle-uncarried]",
         l->line.output, header, link_base(l));
  for (size_t i = 0; i < files->n && !absolute; i++)
    if ((absolute = absolute_of(l, &files->list[i])))
      warn("%s: its bundle has %s, which includes %s by an absolute name: its kernels will not compile "
           "on a machine without that file; include it by a relative name, or set CK_JIT_UNITS=build, "
           "and build again [ckjit help bundle-uncarried]",
           l->line.output, files->list[i].name, absolute);
}

/* What the kernels are compiled from, and the manifest of the tree that it becomes when it is
 * unpacked. */
static void write_bundle(const struct link *l, const struct embed *e, struct manifest *m) {
  struct sourcebundle_files files = {0};
  struct tables t;
  autofree char *compile = install_program("ckjit-compile"), *prebuild = install_program("ckjit-prebuild");
  char *text;
  autofree char *file = path_join(e->dir, "ck_jit_bundle.json"), *work = path_join(e->dir, "carried.a");
  char *err = NULL;
  autofree char *release = toolchain_release(e->compiler, e->compiler_kind);
  size_t len = 0;
  if (!compile || !prebuild)
    die(EXIT_FAILED,
        "ckjit-compile or ckjit-prebuild is not installed beside this program; run `make install` again");
  free(m->root);
  m->root = xstrdup("");
  if (!sourcebundle_add_tree(&files, e->root, &err))
    die(EXIT_FAILED, "%s", err);
  tell_uncarried(l, e, &files);
  if (!manifest_write(m, file, &err) || !sourcebundle_add_program(&files, prebuild, &err))
    die(EXIT_FAILED, "%s", err);
  text = file_read(file, &len);
  if (text)
    sourcebundle_add(&files, MANIFEST_NAME, text, len);
  linklibs_carry(&files, &e->link, e->compiler, work);
  tables_begin(&t);
  if (!sourcebundle_write(&t.bytes, &files, compile, e->compiler_kind->kind, release, &err))
    die(EXIT_FAILED, "%s", err);
  add_symbol(&t, "ckjit_bundle", SEC_TABLES, 0, t.bytes.len);
  add_symbol(&t, "ckjit_bundle_end", SEC_TABLES, t.bytes.len, 0);
  write_parts(e, EMBED_BUNDLE, &t, CKJIT_BUNDLE_SECTION, SEC_INPUTS);
}

/* ---- all of it ---- */

void link_write_manifest(struct link *l) {
  const struct record *first = link_first(l);
  struct embed e = {.dir = l->dir,
                    .library = path_base(l->line.output),
                    .bases = &l->bases,
                    .root = l->tree ? l->tree : link_base(l),
                    .bundle = l->bundle,
                    .tools = &l->tools,
                    .lazy = &l->lazy,
                    .machine = link_machine(l),
                    .fragments = l->no_rdc ? &(struct fragments){0} : &l->fragments,
                    .compiler = first ? first->compiler : l->home->real_compiler,
                    .compiler_kind = link_kind(l)};
  linklibs_read(&e.link, &l->line.scan, l->line.cwd, l->tree ? "" : link_base(l));
  struct manifest *m = embed_manifest(&e, &l->units);
  write_tables(&e, &l->units, m);
  manifest_sort(m);
  char *err;
  if (!manifest_write(m, m->file, &err))
    die(EXIT_FAILED, "%s", err);
  if (l->bundle)
    write_bundle(l, &e, m);
  manifest_free(m);
  argv_free(&e.link);
  argv_free(&e.lists);
}
