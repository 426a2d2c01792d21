/* siblings.c - see siblings.h. Of archives only those that hold records are read: the others are
 * libraries of the system, or of packages, that a blob is linked with itself. */
#include "siblings.h"

#include "imports.h"
#include "mangled.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/files/stubobj.h"

#include <ctype.h>

/* ---- the words of a symbol ---- */

/* The standard library's are in its shared object, too. */
static bool is_standard(const char *name) {
  static const char *const begin[] = {"_ZNSt", "_ZNKSt", "_ZSt", "_Zn", "_Zd", "_ZGVNSt", "_ZTISt", "_ZTVSt"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (str_starts(name, begin[i]))
      return true;
  return false;
}

static bool is_unsaid(const char *symbol) {
  return str_starts(symbol, "_Z") && mangled_is_unsaid(symbol + 2);
}

/* Add the words by which a source uses SYM if it does so without the function's name before a
 * bracket: the variable's; the classes in a name that is_unsaid, and what an operator is in, a
 * namespace or a class. `made` of _ZN4madeC1Ei, `v1` and `number` of _ZN2v1rmERKNS_6numberEi. */
static void add_words(struct intern *words, const struct elf_symbol *sym) {
  if (is_unsaid(sym->name)) {
    struct cxx_word name;
    for (const char *p = sym->name + 2; (p = mangled_next(p, &name));)
      if (!isdigit((unsigned char)*p))
        intern_bytes(words, name.p, name.n);
  } else if (sym->type == STT_OBJECT || sym->type == STT_TLS) {
    autofree char *word = mangled_variable(sym->name);
    if (word)
      intern(words, word);
  }
}

/* Append the names in SYMBOL that the headers declare and leave to others. Whoever uses a class
 * uses what is_unsaid. */
static void add_leads(struct siblings *s, const char *symbol) {
  bool unsaid = is_unsaid(symbol);
  autofree_argv names = {0};
  mangled_words(&names, symbol);
  for (size_t i = 0; i < names.n; i++) {
    const struct cxx_use *u = cxx_shared_use(&s->l->headers, names.args[i]);
    if (u && (u->bodiless || (unsaid && u->klass)))
      argv_add(&s->lead, names.args[i]);
  }
}

/* A kernel with a body in the headers is instantiated by whoever launches it. */
static void add_kernel(struct siblings *s, const char *name) {
  const struct cxx_use *u = cxx_shared_use(&s->l->headers, name);
  if (intern_new(&s->kernels, name) && u && u->bodiless)
    argv_add(&s->lead, name);
}

static void add_own_words(struct intern *to, const char *symbol) {
  autofree_argv names = {0};
  mangled_own_words(&names, symbol);
  for (size_t i = 0; i < names.n; i++)
    intern(to, names.args[i]);
}

/* ---- objects ---- */

/* Is it a function that says it is weak, rather than one that every unit which uses it has? */
static bool is_only_weak(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->bind == STB_WEAK && sym->type == STT_FUNC && elf_section(e, sym->section, &section) &&
         !(section.flags & SHF_GROUP);
}

/* Add SYM, which the object E of FILE defines. ARCHIVED: a member that the linker may leave out. */
static void add_symbol(struct siblings *s, const char *file, const struct elf *e,
                       const struct elf_symbol *sym, bool archived) {
  /* nobody else launches an internal one */
  autofree char *kernel =
      strstr(sym->name, "_GLOBAL__N_") || str_starts(sym->name, "_ZZL") ? NULL : mangled_kernel(sym->name);
  if (kernel)
    add_kernel(s, kernel);
  if (sym->bind != STB_LOCAL && !is_standard(sym->name) && !imports_of_record(e, sym)) {
    bool imported = !archived && imports_may(e, sym),
         strong = sym->bind == STB_GLOBAL || is_only_weak(e, sym);
    vec_push(s->all, s->n, (struct sibling){xstrdup(sym->name), file, imported});
    if (!imported && !kernel && (strong || sym->type == STT_FUNC))
      add_own_words(strong ? &s->names : &s->weak, sym->name);
    if (!imported && !kernel && strong) {
      add_words(&s->shared, sym);
      add_leads(s, sym->name);
    }
  }
}

struct reading {
  struct siblings *s;
  const char *file;
};

static bool read_object(const struct elf *e, const unsigned char *data, size_t size, const char *member,
                        void *user) {
  struct reading *r = user;
  struct elf_symtab t;
  struct elf_symbol sym;
  (void)data, (void)size;
  if (!elf_symtab(e, SHT_SYMTAB, &t))
    return true;
  char *name = member ? xasprintf("%s(%s)", r->file, member) : xstrdup(r->file);
  argv_add_own(&r->s->files, name);
  for (size_t i = 0; i < t.count; i++)
    if (elf_symbol(&t, i, &sym) && sym.section != SHN_UNDEF && *sym.name)
      add_symbol(r->s, name, e, &sym, member != NULL);
  return true;
}

static void read_file(struct siblings *s, const char *file) {
  char *err = NULL;
  if (!stub_sections_file(file, ".symtab", read_object, &(struct reading){s, file}, &err))
    free(err);
}

static bool read_input(const char *file, const struct cc_input *in, void *user) {
  (void)in;
  if (elf_file_is(file, ET_REL))
    read_file(user, file);
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct sibling *)a)->name, ((const struct sibling *)b)->name);
}

/* The kernels themselves, whose host stubs are known by now, are no imports. */
static void forget_kernels(struct siblings *s) {
  for (size_t i = 0; i < s->n && s->kernels.texts.n; i++) {
    autofree_argv names = {0};
    bool of_class;
    if (!s->all[i].imported)
      continue;
    mangled_names(&names, s->all[i].name, &of_class);
    s->all[i].imported =
        !names.n || of_class || intern_find(&s->kernels, names.args[names.n - 1]) == SIZE_MAX;
  }
}

void siblings_read(struct siblings *s) {
  const struct cxx_shared *headers = &s->l->headers;
  const struct argv *words = &headers->words.texts;
  ccargs_link_files(&s->l->line.scan, read_input, s);
  for (size_t i = 0; i < s->l->line.ncontainers; i++)
    if (s->l->line.containers[i].archive)
      read_file(s, s->l->line.containers[i].text);
  if (s->n)
    qsort(s->all, s->n, sizeof *s->all, by_name);
  forget_kernels(s);
  /* instances of templates without a body */
  for (size_t i = 0; i < headers->nuses && s->weak.texts.n; i++)
    if (cxx_shared_elsewhere(headers, words->args[i]) && intern_find(&s->weak, words->args[i]) != SIZE_MAX)
      argv_add(&s->lead, words->args[i]);
}

const struct sibling *siblings_find(const struct siblings *s, const char *name) {
  const struct sibling key = {.name = (char *)name};
  return s->n ? bsearch(&key, s->all, s->n, sizeof *s->all, by_name) : NULL;
}

/* ---- blobs ---- */

/* Is NAME, a template of which blobs have specialisations or instances, without a body in the
 * headers? With one, whoever uses an instance has it. */
static bool is_left_to_blobs(const struct siblings *s, const char *name) {
  const struct cxx_use *u = cxx_shared_use(&s->l->headers, name);
  return !u || u->left || !u->defined;
}

void siblings_add_recorded(struct siblings *s) {
  const struct argv *names = &s->l->functions.names;
  for (size_t i = 0; i < names->n; i++)
    if (is_left_to_blobs(s, names->args[i]) && intern_new(&s->recorded, names->args[i]))
      argv_add(&s->lead, names->args[i]);
}

/* Has the definition DEF of B, which is late, no stub, or one that the linker may leave out? */
static bool is_without_stub(const struct blob *b, const struct definition *def) {
  const char *name = definition_last(def);
  bool without = def->kind == DEFINES_KERNEL || def->kind == DEFINES_CLASS || def->kind == DEFINES_VARIABLE ||
                 !blob_is_demanded(b, name);
  for (size_t i = 0; i < b->functions.n && !without; i++)
    without = strcmp(b->functions.args[i], name) == 0 && !blob_links_stub(b, i);
  return without;
}

void siblings_add_late(struct siblings *s) {
  const struct link *l = s->l;
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++)
    for (size_t k = 0; k < l->blobs[i].defines.n; k++) {
      const struct definition *def = &l->blobs[i].defines.list[k];
      const char *name = definition_last(def);
      /* a blob that is compiled with the library has its functions in it, and its kernels; but the
       * linker leaves out what is in an archive and what nothing else needs */
      if (blob_is_forwarded(&l->blobs[i]) ? !is_without_stub(&l->blobs[i], def)
                                          : def->kind != DEFINES_KERNEL && !l->blobs[i].apart)
        continue;
      size_t at = intern(&s->late, name);
      if (at == n) {
        vec_push(s->late_of, n, i);
        argv_add(&s->lead, name); /* a macro needs no declaration */
      } else if (s->late_of[at] != i) {
        s->late_of[at] = SIZE_MAX;
      }
    }
}

bool siblings_late_elsewhere(const struct siblings *s, const struct blob *b, const char *name) {
  size_t at = intern_find(&s->late, name);
  return at != SIZE_MAX && s->late_of[at] != (size_t)(b - s->l->blobs);
}

bool siblings_is_own(const struct siblings *s, const struct blob *b, const char *name) {
  size_t at = intern_find(&s->late, name);
  return at != SIZE_MAX && s->late_of[at] == (size_t)(b - s->l->blobs) &&
         intern_find(&s->names, name) == SIZE_MAX;
}

/* A template that other blobs specialise does not count if its user names it with arguments, for
 * that is a dispatcher then (settle.c); but B may specialise it, too, or leave them to be
 * deduced. */
bool siblings_may_define(const struct siblings *s, const struct blob *b, const char *name) {
  if (siblings_late_elsewhere(s, b, name))
    return true;
  if (functions_find(&s->l->functions, name))
    return s->recorded.texts.n && is_left_to_blobs(s, name);
  return intern_find(&s->kernels, name) != SIZE_MAX || intern_find(&s->names, name) != SIZE_MAX ||
         /* instantiated explicitly, for units that do not have the body */
         (intern_find(&s->weak, name) != SIZE_MAX && cxx_shared_elsewhere(&s->l->headers, name));
}

void siblings_free(struct siblings *s) {
  for (size_t i = 0; i < s->n; i++)
    free(s->all[i].name);
  free(s->all);
  argv_free(&s->files);
  argv_free(&s->lead);
  intern_free(&s->names);
  intern_free(&s->weak);
  intern_free(&s->kernels);
  intern_free(&s->shared);
  intern_free(&s->recorded);
  intern_free(&s->late);
  free(s->late_of);
}
