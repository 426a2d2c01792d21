/* demand.c - what a link demands of blobs that are late.
 *
 * A late blob defines functions and nothing that runs or is seen before one of them is called
 * (core/cxx/definitions.h). Which functions are needed of it, and how they are called, the link's
 * other objects say: they leave them undefined. A build that links without ckjit has one definition
 * of each, so if the text of one late blob alone can define it, that one does, and gets a stub
 * under this name. No compiler is asked.
 *
 * A blob does not stay late, and becomes a unit of the library (instead.c), if
 *
 *     two blobs may define what is demanded
 *     a variable, a virtual table, type_info or the host stub of a kernel is demanded of it
 *     it defines a function that nothing here demands, and that others may look for: the library
 *     exports it. A program does not, nor does a module of Python, in which only PyInit_… is
 *     looked for
 *     another object or blob may define the same: the linker takes one of them, or refuses both
 *     inputs say what they need only at the link itself: objects with link-time optimisation,
 *     sources, which the same command compiles, and linker scripts that do more than name files
 *
 * Such units, and what else is compiled with the library, are compiled for the host here, and
 * demand something in turn. What no text explains is left to the linker: if it misses a function,
 * the library is made as without ckjit.
 */
#include "flags.h"
#include "link.h"
#include "mangled.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/linkscript.h"
#include "core/files/stubobj.h"

/* ---- what the objects say ---- */

enum has {
  NOBODY,
  /* a shared library of the link */
  LIBRARY,
  /* an object, so that the linker prefers another definition, or ignores one */
  WEAKLY,
  /* an object, as each that uses it */
  EACH,
  OBJECT,
};

/* A function that objects of the link leave undefined or define. */
struct wanted {
  uint8_t visibility;
  enum has has;
  /* who defines it, and the object that needs it first; owned by the link */
  const char *of, *by;
  /* only a library needs it so far; BY is a member of an archive */
  bool by_library, by_member;
  /* an object needs it that does not declare it weak */
  bool strong;
};

struct demand {
  struct link *l;
  struct intern names;
  struct wanted *wanted; /* of each name */
  size_t nwanted;
  /* how many of them were looked for in the libraries */
  size_t looked_up;
  /* an input of which the linker alone knows what it needs, and what it is; NULL: there is none */
  const char *opaque, *opaque_is;
  /* an object defines PyInit_… */
  bool python;
  /* the output is a library */
  bool shared;
  /* the last names of what late blobs define */
  struct intern defined;
  /* of each blob: its object for the host has been read */
  bool *read;
};

static struct wanted *wanted_of(struct demand *d, const char *name) {
  size_t i = intern(&d->names, name);
  if (i == d->nwanted)
    vec_push(d->wanted, d->nwanted, (struct wanted){0});
  return &d->wanted[i];
}

/* How the object E has SYM. */
static enum has has_symbol(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->bind != STB_WEAK                     ? OBJECT
         : !elf_section(e, sym->section, &section) ? EACH
         : section.flags & SHF_GROUP               ? EACH
                                                   : WEAKLY;
}

static void note_opaque(struct demand *d, const char *file, const char *is) {
  d->opaque_is = d->opaque ? d->opaque_is : is;
  d->opaque = d->opaque || !is ? d->opaque : file;
}

#define FOR_LTO "is compiled for link-time optimisation"

static void add_symbols(struct demand *d, const char *file, const struct elf *e, const struct elf_symtab *t,
                        bool member) {
  struct elf_symbol sym;
  for (size_t i = 0; i < t->count; i++) {
    if (!elf_symbol(t, i, &sym) || !*sym.name)
      continue;
    if (str_starts(sym.name, "__gnu_lto_"))
      note_opaque(d, file, FOR_LTO);
    if (sym.bind == STB_LOCAL)
      continue;
    struct wanted *w = wanted_of(d, sym.name);
    if (sym.section != SHN_UNDEF) {
      enum has has = has_symbol(e, &sym);
      w->of = has > w->has ? file : w->of;
      w->has = has > w->has ? has : w->has;
      d->python |= str_starts(sym.name, "PyInit_");
      continue;
    }
    if (sym.visibility != STV_DEFAULT)
      w->visibility = sym.visibility;
    if (!w->by || w->by_library || (w->by_member && !member)) {
      w->by = file;
      w->by_member = member;
    }
    w->by_library = false;
    w->strong |= sym.bind != STB_WEAK;
  }
}

struct reading {
  struct demand *d;
  const char *file;
};

static bool read_symbols(const struct elf *e, const unsigned char *data, size_t size, const char *member,
                         void *user) {
  struct reading *r = user;
  struct elf_symtab t;
  (void)data, (void)size;
  if (elf_symtab(e, SHT_SYMTAB, &t))
    add_symbols(r->d, r->file, e, &t, member != NULL);
  return true;
}

/* Read FILE, an object or an archive. */
static void read_object(struct demand *d, const char *file) {
  char *err = NULL;
  if (!stub_sections_file(file, ".symtab", read_symbols, &(struct reading){d, file}, &err))
    free(err);
}

/* Why nobody but the linker knows what the file needs; NULL: it is an object, or an archive, thin or
 * not. The linker takes what it does not know for a script. */
static const char *why_opaque(const char *file, const struct cc_input *in) {
  char head[8] = {0};
  FILE *f = fopen(file, "rb");
  bool any = f && fread(head, 1, sizeof head, f) > 0;
  if (f)
    fclose(f);
  if (!any || memcmp(head, "\177ELF", 4) == 0 || memcmp(head, "!<arch>\n", 8) == 0 ||
      memcmp(head, "!<thin>\n", 8) == 0)
    return NULL;
  if (memcmp(head, "BC\xc0\xde", 4) == 0)
    return FOR_LTO;
  return in->to_linker || linkscript_only_names(file) ? NULL : "is a linker script";
}

static bool read_input(const char *file, const struct cc_input *in, void *user) {
  struct demand *d = user;
  char *name = xstrdup(file);
  argv_add_own(&d->l->demanders, name);
  const char *why = why_opaque(file, in);
  note_opaque(d, name, why);
  if (!why)
    read_object(d, name);
  return true;
}

/* Note which names a shared library of the link defines. What it leaves undefined, a program's own
 * functions may be. */
static bool read_library(const char *file, const struct cc_input *in, void *user) {
  struct demand *d = user;
  struct elf_symbols of;
  struct elf_symbol sym;
  (void)in;
  if (!elf_file_is(file, ET_DYN))
    return true;
  argv_add(&d->l->demanders, file);
  const char *name = d->l->demanders.args[d->l->demanders.n - 1];
  elf_symbols_open(&of, file, SHT_DYNSYM);
  while (elf_symbols_next(&of, &sym)) {
    size_t i = *sym.name ? intern_find(&d->names, sym.name) : SIZE_MAX;
    if (i != SIZE_MAX && sym.section != SHN_UNDEF && d->wanted[i].has < LIBRARY) {
      d->wanted[i].has = LIBRARY;
      d->wanted[i].of = name;
    } else if (!d->shared && sym.section == SHN_UNDEF && *sym.name && sym.bind != STB_LOCAL) {
      struct wanted *w = wanted_of(d, sym.name);
      w->by_library = w->by_library || !w->by;
      w->by = w->by ? w->by : name;
    }
  }
  elf_symbols_close(&of);
  return true;
}

/* Is the output a library? -u NAME, --undefined=NAME and the like demand NAME. */
static void read_options(struct demand *d) {
  static const char *const options[] = {"-u", "--undefined", "--require-defined"};
  autofree_argv linker = {0};
  for (size_t i = 0; i < d->l->line.args.n; i++) {
    const char *word = d->l->line.args.args[i];
    d->shared |= strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0;
  }
  compiler_linker_words(&linker, &d->l->line.args);
  for (size_t i = 0; i < linker.n; i++)
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
      const char *word = linker.args[i], *behind = word + strlen(options[k]);
      if (!str_starts(word, options[k]))
        continue;
      if (!*behind && i + 1 < linker.n)
        wanted_of(d, linker.args[i + 1])->by = "the command line";
      else if (*behind == '=' || (k == 0 && *behind))
        wanted_of(d, behind + (*behind == '='))->by = "the command line";
    }
}

/* ---- whose it is ---- */

static bool is_late(const struct blob *b) {
  return b->late && blob_is_forwarded(b);
}

/* Does a blob that is not late define functions called NAME? */
static bool is_of_others(const struct link *l, const char *name) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (!l->blobs[i].late && blob_is_forwarded(&l->blobs[i]) && argv_has(&l->blobs[i].functions, name))
      return true;
  return false;
}

static void give_up(struct blob *b, char *why) {
  blob_settle(b, BLOB_AHEAD, why);
}

static void add_function(struct blob *b, const struct argv *names, const char *symbol, const char *by) {
  if (!b->functions.n) {
    struct buf why = {0};
    buf_printf(&why, "%s needs ", path_base(by));
    for (size_t i = 0; i < names->n; i++)
      buf_printf(&why, "%s%s", i ? "::" : "", names->args[i]);
    buf_puts(&why, " of it");
    free(b->reason);
    b->reason = why.data;
  }
  argv_add(&b->demanded, symbol);
  argv_addf(&b->demanded_by, "%s %s", symbol, by);
  argv_add(&b->functions, names->args[names->n - 1]);
}

/* Give B a stub for SYMBOL, which W demands. What the compiler makes of one constructor or destructor is there as a whole,
 * for what is linked with the library later. */
static void add_variants(const struct demand *d, struct blob *b, const struct argv *names, const char *symbol,
                         const struct wanted *w) {
  autofree_argv all = {0};
  argv_add(&all, symbol);
  mangled_variants(&all, symbol);
  for (size_t i = 0; i < all.n; i++) {
    size_t at = intern_find(&d->names, all.args[i]);
    bool other = i && at != SIZE_MAX && d->wanted[at].has != NOBODY;
    if (other || argv_has(&b->demanded, all.args[i]))
      continue;
    add_function(b, names, all.args[i], w->by);
    if (!w->strong && !w->by_library)
      argv_add(&b->weak, all.args[i]);
    if (!w->by_library && !w->by_member)
      argv_add(&b->certain, all.args[i]);
  }
}

/* The standard library's functions are in its shared object, which is not read. */
static bool is_of_standard(const struct argv *names) {
  return names->n > 1 && (strcmp(names->args[0], "std") == 0 || str_starts(names->args[0], "__"));
}

/* Nobody's own text defines SYMBOL: late blobs with a header that may define NAME do not stay so. */
static bool settle_header(struct link *l, const struct wanted *w, const char *symbol, const char *name) {
  bool changed = false;
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (!is_late(b) || !argv_has(&b->in_headers, name))
      continue;
    give_up(b, xasprintf("%s needs %s, which a header of it may define", path_base(w->by), symbol));
    changed = true;
  }
  return changed;
}

/* Why SYMBOL, which is DEF of B, and which W demands, gets no stub; NULL: it gets one. free() it. */
static char *why_no_stub(const struct blob *b, const struct definition *def, const char *symbol,
                         const struct wanted *w) {
  const char *addressed = blob_why_addressed(b, definition_last(def));
  if (def->kind == DEFINES_KERNEL)
    return xasprintf("%s launches %s of it", path_base(w->by), symbol);
  if (def->kind == DEFINES_VARIABLE || (str_starts(symbol, "_Z") && mangled_parameters(symbol) < 0))
    return xasprintf("%s needs %s of it, which is no function", path_base(w->by), symbol);
  if (w->visibility != STV_DEFAULT)
    return xasprintf("%s of it has hidden visibility, and would not be found when it is loaded apart",
                     symbol);
  return addressed ? xstrdup(addressed) : NULL;
}

/* Find the late blob that defines SYMBOL, which objects demand. Returns whether one stopped being late. */
static bool settle_symbol(struct demand *d, const char *symbol, const struct wanted *w) {
  struct link *l = d->l;
  autofree_argv names = {0};
  bool of_class, changed = false;
  mangled_names(&names, symbol, &of_class);
  struct blob *found = NULL;
  const struct definition *def = NULL, *is;
  unsigned best = 0, rivals = 0;
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    unsigned fit;
    if (!is_late(b))
      continue;
    if (of_class) {
      if (definitions_member(&b->defines, &names)) {
        give_up(b, xasprintf("%s needs %s of it, which is no function", path_base(w->by), symbol));
        changed = true;
      }
      continue;
    }
    fit = blob_fits(b, &names, symbol, &is);
    if (fit > best) {
      found = b;
      best = fit;
      def = is;
      rivals = 0;
    } else if (fit && fit == best) {
      rivals++;
    }
  }
  if (best == 1 && (is_of_standard(&names) || w->by_library))
    return changed;
  if (!best && names.n && !of_class && !is_of_standard(&names))
    changed = settle_header(l, w, symbol, names.args[names.n - 1]);
  if (best && (best == 1 || rivals || is_of_others(l, names.args[names.n - 1]))) {
    for (size_t i = 0; i < l->nblobs; i++) {
      if (is_late(&l->blobs[i]) && blob_fits(&l->blobs[i], &names, symbol, &is) == best) {
        give_up(&l->blobs[i], xasprintf("%s needs %s, and the text does not tell where that is defined",
                                        path_base(w->by), symbol));
        changed = true;
      }
    }
  } else if (found) {
    char *why = why_no_stub(found, def, symbol, w);
    if (why)
      give_up(found, why);
    else
      add_variants(d, found, &names, symbol, w);
    changed |= why != NULL;
  }
  return changed;
}

/* ---- what is defined twice ---- */

/* May the mangled SYMBOL be one of what late blobs define? Quick: there are many. */
static bool may_be_late(const struct demand *d, const char *symbol) {
  if (!str_starts(symbol, "_Z"))
    return intern_find(&d->defined, symbol) != SIZE_MAX;
  struct cxx_word name;
  for (const char *p = symbol + 2; (p = mangled_each(p, &name));)
    if (intern_find_bytes(&d->defined, name.p, name.n) != SIZE_MAX)
      return true;
  return false;
}

/* Late blobs that define what the link's own objects or libraries have are made with the library:
 * the linker takes the one or the other, or refuses both. Instances of one template do not count. */
static bool settle_defined(struct demand *d, const char *symbol, const struct wanted *w) {
  autofree_argv names = {0};
  bool of_class, changed = false;
  mangled_names(&names, symbol, &of_class);
  for (size_t i = 0; i < d->l->nblobs && !of_class; i++) {
    struct blob *b = &d->l->blobs[i];
    const struct definition *def;
    if (!is_late(b) || blob_fits(b, &names, symbol, &def) < 2 || def->templated || def->kind == DEFINES_CLASS)
      continue;
    give_up(b, xasprintf("%s has %s, too", path_base(w->of), symbol));
    changed = true;
  }
  return changed;
}

/* A function or a variable that two late blobs define, by their texts. */
static bool settle_twice(struct link *l) {
  autofree_intern heads = {0};
  autofree struct blob **of = NULL;
  size_t n = 0;
  bool changed = false;
  for (size_t i = 0; i < l->nblobs; i++)
    for (size_t k = 0; k < l->blobs[i].defines.n && is_late(&l->blobs[i]); k++) {
      const struct definition *def = &l->blobs[i].defines.list[k];
      if (!def->head && def->kind != DEFINES_VARIABLE)
        continue;
      autofree char *names = argv_join(def->names.args),
                    *whole = xasprintf("%s %s", names, def->head ? def->head : "");
      size_t at = intern(&heads, whole);
      if (at == n) {
        vec_push(of, n, &l->blobs[i]);
      } else if (of[at] != &l->blobs[i]) {
        give_up(&l->blobs[i], xasprintf("line %u: %s defines %s, too", def->line,
                                        path_base(of[at]->record->source), definition_last(def)));
        give_up(of[at],
                xasprintf("%s defines %s, too", path_base(l->blobs[i].record->source), definition_last(def)));
        changed = true;
      }
    }
  return changed;
}

/* ---- what others may look for ---- */

/* Can a function of the output be looked for by another library or program? */
static bool exports(const struct demand *d) {
  autofree_argv linker = {0};
  compiler_linker_words(&linker, &d->l->line.args);
  bool all = argv_has(&d->l->line.args, "-rdynamic") || argv_has(&linker, "-E");
  for (size_t i = 0; i < linker.n; i++)
    all |= strstr(linker.args[i], "-export-dynamic") != NULL;
  return d->shared || all;
}

/* The definition of B that nothing demands, though others might, and of which the whole name is not known; NULL: there
 * is none. One with a name of C gets a stub. */
static const struct definition *undemanded(struct blob *b) {
  for (size_t i = 0; i < b->defines.n; i++) {
    const struct definition *def = &b->defines.list[i];
    const char *name = definition_last(def);
    if (def->kind == DEFINES_KERNEL || !blob_shows(b, &def->names, def->templated) ||
        (def->kind != DEFINES_CLASS && blob_is_demanded(b, name)))
      continue;
    if (!def->c || def->kind != DEFINES_FUNCTION || blob_why_addressed(b, name))
      return def;
    add_function(b, &def->names, name, "what loads the library");
  }
  return NULL;
}

/* Returns whether a blob stopped being late. */
static bool settle_exports(struct demand *d) {
  bool changed = false;
  for (size_t i = 0; i < d->l->nblobs; i++) {
    struct blob *b = &d->l->blobs[i];
    const struct definition *def = is_late(b) ? undemanded(b) : NULL;
    if (!def || d->python)
      continue;
    give_up(b, xasprintf("line %u: nothing in this library %s %s, and another may", def->line,
                         def->kind == DEFINES_VARIABLE ? "uses" : "calls", definition_last(def)));
    changed = true;
  }
  return changed;
}

/* ---- all of it ---- */

static void read_made_object(struct blob *b, const char *object, void *user) {
  struct demand *d = user;
  (void)b;
  argv_add(&d->l->demanders, object);
  read_object(d, d->l->demanders.args[d->l->demanders.n - 1]);
}

/* Compile for the host what will be part of the library, and read what that demands. */
static void read_made(struct demand *d) {
  struct link *l = d->l;
  autofree struct blob **made = xcalloc(l->nblobs + 1, sizeof *made);
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_AHEAD && !d->read[i]) {
      d->read[i] = true;
      made[n++] = &l->blobs[i];
    }
  link_compile_for_host(l, made, n, read_made_object, d);
}

/* The text of a dispatcher names what it calls; it is compiled later. */
static bool settle_dispatchers(struct demand *d) {
  struct link *l = d->l;
  bool changed = false;
  for (size_t i = 0; i < l->ndispatchers; i++) {
    size_t len;
    autofree char *text = file_read_text(l->dispatchers[i].record->source, &len);
    for (size_t k = 0; k < l->nblobs && text; k++) {
      struct blob *b = &l->blobs[k];
      for (size_t j = 0; j < b->defines.n && is_late(b); j++) {
        const char *name = definition_last(&b->defines.list[j]);
        if (strstr(text, name)) {
          give_up(b,
                  xasprintf("the dispatcher %s names %s", path_base(l->dispatchers[i].record->source), name));
          changed = true;
        }
      }
    }
  }
  return changed;
}

static void forget_functions(struct link *l) {
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (!b->late)
      continue;
    argv_free(&b->demanded);
    argv_free(&b->demanded_by);
    argv_free(&b->weak);
    argv_free(&b->certain);
    argv_free(&b->functions);
  }
}

/* Share out what is demanded. Returns whether a blob stopped being late. */
static bool settle_symbols(struct demand *d) {
  bool changed = false;
  forget_functions(d->l);
  if (d->looked_up < d->nwanted)
    ccargs_link_files(&d->l->line.scan, read_library, d);
  d->looked_up = d->nwanted;
  for (size_t i = 0; i < d->nwanted; i++) {
    const struct wanted *w = &d->wanted[i];
    const char *symbol = d->names.texts.args[i];
    if (w->by && w->has == NOBODY)
      changed |= settle_symbol(d, symbol, w);
    else if (w->has != EACH && (w->by || w->has > LIBRARY) && may_be_late(d, symbol))
      changed |= settle_defined(d, symbol, w);
  }
  return changed;
}

void link_give_up_late(struct link *l, const char *why) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (is_late(&l->blobs[i]))
      give_up(&l->blobs[i], xstrdup(why));
}

void link_settle_demand(struct link *l) {
  struct demand d = {.l = l, .read = xcalloc(l->nblobs + 1, sizeof *d.read)};
  bool any = false;
  for (size_t i = 0; i < l->nblobs; i++)
    any |= is_late(&l->blobs[i]);
  if (any && l->line.scan.mode == CC_RELOCATABLE)
    link_give_up_late(l, "what a partial link is for is not known yet");
  else if (any)
    ccargs_link_files(&l->line.scan, read_input, &d);
  if (l->line.scan.source)
    note_opaque(&d, l->line.scan.source->text, "is compiled by the link's command");
  if (d.opaque) {
    autofree char *why = xasprintf("%s %s, and does not say what it needs", path_base(d.opaque), d.opaque_is);
    link_give_up_late(l, why);
  }
  read_options(&d);
  for (size_t i = 0; i < l->nblobs; i++)
    for (size_t k = 0; k < l->blobs[i].defines.n; k++)
      intern(&d.defined, definition_last(&l->blobs[i].defines.list[k]));
  settle_twice(l);
  bool open = any && exports(&d);
  for (bool again = any && !d.opaque; again;) {
    read_made(&d);
    again = settle_symbols(&d) || settle_dispatchers(&d) || (open && settle_exports(&d)) ||
            link_settle_late_needs(l);
  }
  for (size_t i = 0; i < l->nblobs; i++)
    if (is_late(&l->blobs[i]) && !l->blobs[i].functions.n)
      blob_settle(&l->blobs[i], BLOB_UNUSED, NULL);
  intern_free(&d.names);
  intern_free(&d.defined);
  free(d.wanted);
  free(d.read);
}
