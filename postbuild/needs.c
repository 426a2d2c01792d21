/* needs.c - blobs that need what the library cannot give to what is loaded apart from it.
 *
 * A blob that is compiled on its first call is loaded apart: it sees the libraries of the link
 * line, and of the library itself what its table of imports has (imports.c). That is every function
 * and variable of its objects, but not
 *
 *     kernels: the host stub of a sibling's kernel, which a launch needs, is registered with the
 *     library. aiter's opus_gemm has host functions that launch kernels of *.device.cu
 *     thread-local variables
 *     what is in an archive of the link that nothing else needs: the linker would not take it
 *     functions of late blobs that the link's objects do not demand: their whole names are not known
 *
 * Only the compiler knows what a blob leaves undefined, and asking it for each of thousands of
 * blobs would cost what being lazy saves. So the symbols of the link's other objects are read, and
 * a blob is suspected if
 *
 *     its functions name one of these
 *     it names what leads there in the build's own headers (core/cxx/cxxshared.h): an inline function that calls it, a function
 *     that returns the class, `auto a = make(); a + 1`
 *     they or the headers that it includes name a kernel that one of these has the host stub of
 *
 * Most links have no suspects. Each suspect is compiled for
 * the host, for one may mention what another that is compiled alike calls; what its object lacks is
 * looked for among the symbols, by its whole name. If it is there, the blob is compiled ahead of
 * time, and the reason has the symbol.
 *
 * A variable of a header has one copy in a library, be it static in an inline function, inline, or
 * a member of a class template: the linker keeps one of those that the objects have. A blob that is
 * loaded apart would count in a copy of its own. So a blob whose text names such a variable, or the
 * function that it is in, is suspected if one of the other objects has the variable, and goes ahead
 * of time if its object has it too. thread_local ones are left out: they are scratch space (CK's
 * ck_tile::concat), and each thread has its own anyway. Hidden ones of the compiler's own headers
 * are left out as well (is_of_each). A constant that code makes looks like any other variable.
 * Those that only a header's functions use, and those of blobs alone, are onecopy.c's.
 */
#include "link.h"

#include "flags.h"
#include "imports.h"
#include "mangled.h"
#include "onecopy.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/deps.h"
#include "core/cxx/cxxlex.h"
#include "core/cxx/cxxwords.h"
#include "core/files/stubobj.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the other objects of the link define. */
struct siblings {
  struct named {
    char *name, *file;
    /* the table of imports can have it */
    bool imported;
  } * all;
  size_t n;
  struct argv names;   /* the source names in theirs, without those that every unit may define; sorted */
  struct argv weak;    /* the same of functions that every unit may define */
  struct argv kernels; /* whose host stubs are among them */
  struct argv
      shared; /* names to look for in a blob's text: of variables that any object may have, of which the linker
                          keeps one, and of what is used without a bracket behind its name */
  const struct cxx_shared *headers;
  struct argv lead;     /* what the headers declare and leave to these objects, or to blobs in archives */
  struct argv recorded; /* of that, what blobs may have */
  struct intern late;   /* last names of what blobs that are late define … */
  size_t *late_of;      /* … and of which blob each is; SIZE_MAX: of several */
  struct argv asked;    /* names that were looked for in the text … */
  bool *found;          /* … and whether they are there */
  size_t nfound;
  struct toolkit *toolkits;
  size_t ntoolkits;
};

/* Of blobs that are compiled alike, a text as the preprocessor leaves it, and names that were
 * looked for in it. */
struct toolkit {
  char *alike, *text; /* text NULL: there is none */
  struct argv own,
      other; /* names that only the compiler's own headers say, and those that others say as well */
};

/* ---- symbols ---- */

/* The standard library's are in its shared object, too. */
static bool is_standard(const char *name) {
  static const char *const begin[] = {"_ZNSt", "_ZNKSt", "_ZSt", "_Zn", "_Zd", "_ZGVNSt", "_ZTISt", "_ZTVSt"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (str_starts(name, begin[i]))
      return true;
  return false;
}

/* Append the names by which a source uses SYM, if it does so without the function's name in front of a bracket: the variable's;
 * the classes in the mangled name of what is_unsaid, and what is around an operator, a namespace or a class. `made` of
 * _ZN4madeC1Ei, `v1` and `number` of _ZN2v1rmERKNS_6numberEi. */
static void add_words(struct argv *words, const struct elf_symbol *sym) {
  bool mangled = str_starts(sym->name, "_Z");
  if (mangled && mangled_is_unsaid(sym->name + 2)) {
    struct cxx_word name;
    for (const char *p = sym->name + 2; (p = mangled_next(p, &name));)
      if (!isdigit((unsigned char)*p))
        argv_add_own(words, xstrndup(name.p, name.n));
  } else if (sym->type == STT_OBJECT || sym->type == STT_TLS) {
    char *word = mangled_variable(sym->name);
    if (word)
      argv_add_own(words, word);
  }
}

/* Append to LEAD the names in SYMBOL that the headers declare and leave to others. What is_unsaid is used by whoever uses the class. */
static void add_leads(struct siblings *s, const char *symbol) {
  bool mangled = str_starts(symbol, "_Z"), unsaid = mangled && mangled_is_unsaid(symbol + 2);
  struct argv names = {0};
  mangled_words(&names, symbol);
  for (size_t i = 0; i < names.n; i++) {
    const struct cxx_use *u = cxx_shared_use(s->headers, names.args[i]);
    if (u && (u->bodiless || (unsaid && u->klass)))
      argv_add(&s->lead, names.args[i]);
  }
  argv_free(&names);
}

/* Is it a function that says it is weak, rather than one that every unit which uses it has? */
static bool is_only_weak(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->bind == STB_WEAK && sym->type == STT_FUNC && elf_section(e, sym->section, &section) &&
         !(section.flags & SHF_GROUP);
}

/* Add what the object E of FILE defines, whose symbols are T. ARCHIVED: a member that the linker may leave out. */
static void add_definitions(struct siblings *s, const char *file, const struct elf *e,
                            const struct elf_symtab *t, bool archived) {
  struct elf_symbol sym;
  for (size_t i = 0; i < t->count; i++) {
    if (!elf_symbol(t, i, &sym) || sym.section == SHN_UNDEF || !*sym.name)
      continue;
    /* nobody else launches what is internal */
    char *kernel =
        strstr(sym.name, "_GLOBAL__N_") || str_starts(sym.name, "_ZZL") ? NULL : mangled_kernel(sym.name);
    if (kernel)
      argv_add_own(&s->kernels, kernel);
    if (sym.bind == STB_LOCAL || is_standard(sym.name) || imports_of_record(e, &sym))
      continue;
    bool imported = !archived && imports_may(e, &sym),
         strong = sym.bind == STB_GLOBAL || is_only_weak(e, &sym);
    vec_push(s->all, s->n, (struct named){xstrdup(sym.name), xstrdup(file), imported});
    char *shared = onecopy_is_shared(e, &sym) ? mangled_variable(sym.name) : NULL;
    if (shared)
      argv_add_own(&s->shared, shared);
    if (imported || kernel)
      continue;
    if (strong)
      mangled_own_words(&s->names, sym.name);
    else if (sym.type == STT_FUNC)
      mangled_own_words(&s->weak, sym.name);
    if (strong) {
      add_words(&s->shared, &sym);
      add_leads(s, sym.name);
    }
  }
}

struct archive_reader {
  struct siblings *s;
  const char *file;
};

static bool read_member(const struct elf *e, const unsigned char *data, size_t size, const char *member,
                        void *user) {
  struct archive_reader *r = user;
  struct elf_symtab t;
  (void)data, (void)size;
  if (elf_symtab(e, SHT_SYMTAB, &t)) {
    char *name = xasprintf("%s(%s)", r->file, member ? member : "");
    add_definitions(r->s, name, e, &t, true);
    free(name);
  }
  return true;
}

static bool read_sibling(const char *file, const struct cc_input *in, void *user) {
  struct siblings *s = user;
  struct elf_symbols of;
  (void)in;
  if (!elf_file_is(file, ET_REL))
    return true;
  elf_symbols_open(&of, file, SHT_SYMTAB);
  add_definitions(s, file, &of.elf, &of.table, false);
  elf_symbols_close(&of);
  return true;
}

/* Of archives only those that hold records: the others are libraries of the system, or of packages,
 * that a blob is linked with itself. */
static void read_archives(struct siblings *s, const struct link *l) {
  char *err = NULL;
  for (size_t i = 0; i < l->line.ncontainers; i++) {
    struct archive_reader r = {s, l->line.containers[i].text};
    if (l->line.containers[i].archive && !stub_sections_file(r.file, ".symtab", read_member, &r, &err))
      free(err);
  }
}

static int by_name(const void *a, const void *b) {
  const struct named *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static void siblings_free(struct siblings *s) {
  for (size_t i = 0; i < s->n; i++) {
    free(s->all[i].name);
    free(s->all[i].file);
  }
  free(s->all);
  free(s->found);
  argv_free(&s->names);
  argv_free(&s->weak);
  argv_free(&s->kernels);
  argv_free(&s->shared);
  argv_free(&s->lead);
  argv_free(&s->recorded);
  intern_free(&s->late);
  free(s->late_of);
  argv_free(&s->asked);
  for (size_t i = 0; i < s->ntoolkits; i++) {
    free(s->toolkits[i].alike);
    free(s->toolkits[i].text);
    argv_free(&s->toolkits[i].own);
    argv_free(&s->toolkits[i].other);
  }
  free(s->toolkits);
}

static int word_and_name(const void *word, const void *name) {
  const struct cxx_word *w = word;
  const char *k = *(char *const *)name;
  int c = strncmp(w->p, k, w->n);
  return c ? c : -(k[w->n] != 0);
}

/* Is WORD one of NAMES, which are sorted? */
static bool is_among(const struct argv *names, const char *word) {
  struct cxx_word w = {word, strlen(word)};
  return names->n && bsearch(&w, names->args, names->n, sizeof *names->args, word_and_name);
}

/* Append those of NAMES, which are sorted, that are words of TEXT. */
static void words_in(struct argv *out, const struct argv *names, const char *text) {
  for (struct cxx_word w = cxx_word(text); w.n && names->n; w = cxx_word(w.p + w.n)) {
    char **found = bsearch(&w, names->args, names->n, sizeof *names->args, word_and_name);
    if (found && !argv_has(out, *found))
      argv_add(out, *found);
  }
}

/* The kernels themselves, whose host stubs are known by now, are no imports. */
static void forget_kernels(struct siblings *s) {
  for (size_t i = 0; i < s->n && s->kernels.n; i++) {
    struct argv names = {0};
    bool of_class;
    if (!s->all[i].imported)
      continue;
    mangled_names(&names, s->all[i].name, &of_class);
    s->all[i].imported = !names.n || of_class || !is_among(&s->kernels, names.args[names.n - 1]);
    argv_free(&names);
  }
}

/* ---- what the headers leave to others ---- */

/* Instances that siblings have of templates without a body. */
static void add_instances(struct siblings *s) {
  const struct argv *words = &s->headers->words.texts;
  for (size_t i = 0; i < s->headers->nuses && s->weak.n; i++)
    if (cxx_shared_elsewhere(s->headers, words->args[i]) && is_among(&s->weak, words->args[i]))
      argv_add(&s->lead, words->args[i]);
}

/* Is NAME, a template of which blobs have specialisations or instances, without a body in the headers? With one, whoever uses an instance
 * has it. */
static bool is_left_to_blobs(const struct cxx_shared *headers, const char *name) {
  const struct cxx_use *u = cxx_shared_use(headers, name);
  return !u || u->left || !u->defined;
}

/* What blobs specialise of what the headers leave to others. */
static void add_recorded(struct siblings *s, const struct link *l) {
  for (size_t i = 0; i < l->functions.names.n; i++)
    if (is_left_to_blobs(s->headers, l->functions.names.args[i]))
      argv_add(&s->recorded, l->functions.names.args[i]);
  argv_unique(&s->recorded);
  argv_add_all(&s->lead, s->recorded.args);
}

/* Is the definition DEF of B, which is late, one that has no stub? */
static bool is_without_stub(const struct blob *b, const struct definition *def) {
  return def->kind == DEFINES_KERNEL || def->kind == DEFINES_CLASS ||
         !blob_is_demanded(b, definition_last(def));
}

/* What late blobs define, and have no stubs for. */
static void add_late(struct siblings *s, const struct link *l) {
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++)
    for (size_t k = 0; k < l->blobs[i].defines.n; k++) {
      const struct definition *def = &l->blobs[i].defines.list[k];
      const char *name = definition_last(def);
      /* what is compiled with the library has its functions in it, and its kernels */
      if (blob_is_forwarded(&l->blobs[i]) ? !is_without_stub(&l->blobs[i], def) : def->kind != DEFINES_KERNEL)
        continue;
      size_t at = intern(&s->late, name);
      if (at == n) {
        vec_push(s->late_of, n, i);
        const struct cxx_use *u = cxx_shared_use(s->headers, name);
        if (u && (u->bodiless || u->klass))
          argv_add(&s->lead, name);
      } else if (s->late_of[at] != i) {
        s->late_of[at] = SIZE_MAX;
      }
    }
}

/* Does another blob than B define something called NAME, and is that one late? */
static bool is_late_elsewhere(const struct link *l, const struct siblings *s, const struct blob *b,
                              const char *name) {
  size_t at = intern_find(&s->late, name);
  return at != SIZE_MAX && s->late_of[at] != (size_t)(b - l->blobs);
}

/* Is NAME what B defines, and no other object of the link? */
static bool is_own(const struct link *l, const struct siblings *s, const struct blob *b, const char *name) {
  size_t at = intern_find(&s->late, name);
  return at != SIZE_MAX && s->late_of[at] == (size_t)(b - l->blobs) && !is_among(&s->names, name);
}

/* ---- suspects ---- */

/* Does a sibling define something called NAME? */
static bool defines(struct siblings *s, const struct cxx_shared *headers, const char *name) {
  for (size_t i = 0; i < s->asked.n; i++)
    if (strcmp(s->asked.args[i], name) == 0)
      return s->found[i];
  bool found = argv_has(&s->kernels, name) || is_among(&s->names, name) ||
               /* instantiated explicitly, for units that do not have the body */
               (is_among(&s->weak, name) && cxx_shared_elsewhere(headers, name));
  argv_add(&s->asked, name);
  vec_push(s->found, s->nfound, found);
  return found;
}

/* Append the KERNELS that the headers of R name, but for those of the system. */
static void kernels_in_headers(struct argv *out, const struct argv *kernels, const struct record *r) {
  struct argv headers = {0};
  size_t len;
  char *text = file_read_text(r->source, &len);
  if (text)
    deps_list(&headers, &r->cc, r->cwd, text, len, NULL);
  free(text);
  for (size_t i = 1; i < headers.n; i++) {
    char *file = path_abs_in(r->cwd, headers.args[i]);
    char *header = path_within(file, "/usr") || path_within(file, "/opt") ? NULL : file_read_text(file, &len);
    if (header)
      words_in(out, kernels, header);
    free(header);
    free(file);
  }
  argv_free(&headers);
}

/* What B's headers name of the kernels. */
struct heads {
  char **keys;
  struct argv *kernels;
  size_t n;
};

/* The same for blobs that are compiled alike, with the same #includes, in one directory. free()
 * it. */
static char *alike(const struct blob *b) {
  struct argv flags = {0};
  flags_code(&flags, b->record);
  char *dir = path_dir(b->record->source), *joined = argv_join(flags.args);
  char *key =
      xasprintf("%s\n%s\n%s\n%s", b->record->cwd, dir, joined, b->preamble.len ? b->preamble.data : "");
  free(dir);
  free(joined);
  argv_free(&flags);
  return key;
}

static const struct argv *kernels_of(struct heads *h, const struct siblings *s, const struct blob *b) {
  char *key = alike(b);
  for (size_t i = h->n; i-- > 0;)
    if (strcmp(h->keys[i], key) == 0) {
      free(key);
      return &h->kernels[i];
    }
  struct argv found = {0};
  kernels_in_headers(&found, &s->kernels, b->record);
  vec_reserve(h->keys, h->n, 1);
  h->keys[h->n] = key;
  vec_push(h->kernels, h->n, found);
  return &h->kernels[h->n - 1];
}

/* Do B's functions name NAME, which another unit may define? A template that other blobs specialise is none if it is told by its
 * arguments, for its user is a dispatcher then (settle.c); but B may specialise it, too, or leave them to be deduced. */
static bool may_need(const struct link *l, struct siblings *s, const struct blob *b, const char *name) {
  if (is_late_elsewhere(l, s, b, name))
    return true;
  return functions_find(&l->functions, name) ? s->recorded.n && is_left_to_blobs(&l->headers, name)
                                             : defines(s, &l->headers, name);
}

/* Blank the lines of TEXT that include: CK's blobs include fmha_fwd.hpp, and do not call fmha_fwd. */
static void blank_includes(char *text) {
  for (char *p = strchr(text, '#'); p; p = strchr(p + 1, '#')) {
    const char *word = p + 1 + strspn(p + 1, " \t");
    if (str_starts(word, "include"))
      memset(p, ' ', strcspn(p, "\n"));
  }
}

/* The identifiers and directives of TEXT, without what comments and strings say. */
static struct buf code_of(const char *text, size_t len) {
  struct cxx_text t;
  struct buf names = {0};
  buf_puts(&names, "");
  if (!cxx_lex(&t, text, len))
    buf_add(&names, text, len);
  for (uint32_t i = 0; i < t.n; i++)
    if (t.toks[i].kind == TOK_DIRECTIVE || cxx_ident(&t, i)) {
      buf_add(&names, t.text + t.toks[i].at, t.toks[i].len);
      buf_putc(&names, ' ');
    }
  cxx_text_free(&t);
  return names;
}

/* Are there words in TEXT that lead to what another unit defines? */
static bool words_lead(const struct link *l, const struct siblings *s, const struct blob *b,
                       const char *text) {
  struct argv names = {0}, lead = {0};
  words_in(&names, &s->shared, text);
  if (s->lead.n)
    cxx_shared_find(&l->headers, &lead, text);
  bool any = names.n > 0;
  for (size_t i = 0; i < lead.n && !any; i++) /* of templates of blobs may_need knows more */
    any = !functions_find(&l->functions, lead.args[i]) && !is_own(l, s, b, lead.args[i]);
  argv_free(&names);
  argv_free(&lead);
  return any;
}

/* Does the source FILE say one? */
static bool file_leads(const struct link *l, const struct siblings *s, const struct blob *b,
                       const char *file) {
  size_t len;
  char *text = file_read(file, &len);
  if (text)
    blank_includes(text);
  bool any = text && words_lead(l, s, b, text);
  if (any) {
    struct buf code = code_of(text, len);
    any = words_lead(l, s, b, code.data);
    buf_free(&code);
  }
  free(text);
  return any;
}

/* Does B name anything that may lead to what another unit defines? */
static bool is_suspect(const struct link *l, struct siblings *s, struct heads *heads, const struct blob *b) {
  bool any = s->kernels.n && kernels_of(heads, s, b)->n;
  for (size_t i = 0; i < b->uses.n && !any; i++)
    any = may_need(l, s, b, b->uses.args[i]);
  for (size_t i = 0; i < b->calls.n && !any; i++)
    any = may_need(l, s, b, b->calls.args[i]);
  if (s->shared.n || s->lead.n) /* a unit may only include where they are said */
    for (size_t i = 0; i <= b->parts.n && !any; i++)
      any = file_leads(l, s, b, i ? b->parts.args[i - 1] : b->record->source);
  return any;
}

/* ---- what they lack ---- */

/* Of the mangled NAME, is a function or a variable one of what blobs and dispatchers may have? */
static bool is_recorded(const struct siblings *s, const char *name) {
  struct argv names = {0};
  bool found = false;
  mangled_words(&names, name);
  for (size_t i = 0; i < names.n && !found; i++)
    found = is_among(&s->recorded, names.args[i]);
  argv_free(&names);
  return found;
}

/* ---- state of the compiler's own headers ---- */

/* The directory that the headers of the compiler COMPILER are below; NULL: it is one that others'
 * are below as well. free() it. */
static char *home_of(const char *compiler) {
  char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : "/"), *home = path_dir(bin);
  free(real);
  free(bin);
  if (strcmp(home, "/usr") != 0 && strcmp(home, "/") != 0 && strcmp(home, "/usr/local") != 0)
    return home;
  free(home);
  return NULL;
}

/* Is the file that the line marker LINE names below HOME? */
static bool is_below(const char *home, const char *cwd, const char *line) {
  const char *quote = strchr(line, '"');
  size_t n = quote ? strcspn(quote + 1, "\"\n") : 0;
  char *name = xstrndup(quote ? quote + 1 : "", n), *file = path_abs_in(cwd, name),
       *real = realpath(file, NULL);
  bool is = n && real && path_within(real, home);
  free(real);
  free(file);
  free(name);
  return is;
}

/* Does TEXT, a preprocessed one, say WORD in files below HOME, and nowhere else? */
static bool is_said_below(const char *home, const char *cwd, const char *text, const char *word) {
  size_t n = strlen(word);
  bool below = false, said = false;
  const char *marker = NULL;
  for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
    size_t len = strcspn(p, "\n");
    if (p[0] == '#' && p[1] == ' ') {
      marker = p;
      continue;
    }
    for (const char *at = p; (at = memmem(at, len - (size_t)(at - p), word, n)); at += n) {
      bool whole = !(at > p && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
                   !(isalnum((unsigned char)at[n]) || at[n] == '_');
      if (whole && marker)
        below = is_below(home, cwd, marker);
      if (whole && !below)
        return false;
      said |= whole;
    }
  }
  return said;
}

/* What is known of B's toolkit. Borrowed. */
static struct toolkit *toolkit_of(struct link *l, struct siblings *s, const struct blob *b) {
  char *key = alike(b);
  for (size_t i = 0; i < s->ntoolkits; i++)
    if (strcmp(s->toolkits[i].alike, key) == 0) {
      free(key);
      return &s->toolkits[i];
    }
  struct toolkit *t = vec_add(s->toolkits, s->ntoolkits);
  struct step step = {0};
  char *file = xasprintf("%s/objs/headers-%zu.i", l->dir, s->ntoolkits);
  size_t len;
  t->alike = key;
  flags_text(&step.args, b->record, NULL);
  step_source(&step, b->record, b->record->source, file);
  steps_run(&l->runner, &step, 1);
  link_count_steps(l, &step, 1);
  t->text = step.status ? NULL : file_read(file, &len);
  step_free(&step);
  free(file);
  return t;
}

/* Is SYM, a variable that B and others have, state of the compiler's own headers that each shared
 * object has for itself? It is hidden, and nothing else says its name: such headers are in
 * several libraries of a process, each with its copy, and work so. nvtx3's nvtxGlobals_v3 is in
 * all that use CUB (faiss: 128 blobs). */
static bool is_of_each(struct link *l, struct siblings *s, const struct blob *b,
                       const struct elf_symbol *sym) {
  char *home = sym->visibility == STV_HIDDEN ? home_of(b->record->compiler) : NULL;
  char *word = home ? mangled_variable(sym->name) : NULL;
  struct toolkit *t = word ? toolkit_of(l, s, b) : NULL;
  bool is = t && argv_has(&t->own, word);
  if (t && t->text && !is && !argv_has(&t->other, word)) {
    is = is_said_below(home, b->record->cwd, t->text, word);
    argv_add(is ? &t->own : &t->other, word);
  }
  free(word);
  free(home);
  return is;
}

/* Is the function of the mangled NAME one of what other blobs, which are late, define? */
static bool is_of_late(const struct link *l, const struct siblings *s, const struct blob *b,
                       const char *name) {
  char *last = mangled_last(name);
  bool is = is_late_elsewhere(l, s, b, last);
  free(last);
  return is;
}

/* Settle B, whose object for the host is OBJECT, by the first symbol that it lacks and another unit defines, or that both define and
 * must be one. */
static void settle(struct link *l, struct siblings *s, struct blob *b, const char *object) {
  struct elf_symbols of;
  struct elf_symbol sym;
  elf_symbols_open(&of, object, SHT_SYMTAB);
  while (blob_is_forwarded(b) && elf_symbols_next(&of, &sym)) {
    if (!*sym.name)
      continue;
    bool lacks = sym.section == SHN_UNDEF, shares = !lacks && s->shared.n && onecopy_is_shared(&of.elf, &sym);
    const struct named key = {.name = (char *)sym.name}, *d = NULL;
    if (s->n && (lacks || shares))
      d = bsearch(&key, s->all, s->n, sizeof *s->all, by_name);
    if (d && (shares ? is_of_each(l, s, b, &sym) : d->imported))
      continue;
    if (d && shares)
      blob_settle(b, BLOB_AHEAD,
                  xasprintf("it shares the variable %s with %s, and would have a separate copy when it is "
                            "loaded apart",
                            d->name, path_base(d->file)));
    else if (d || (lacks && (is_recorded(s, sym.name) || is_of_late(l, s, b, sym.name))))
      blob_settle(b, BLOB_AHEAD,
                  xasprintf("it needs %s of %s, which it could not reach when it is loaded apart", sym.name,
                            d ? path_base(d->file) : "another unit that was recorded"));
  }
  elf_symbols_close(&of);
}

struct settling {
  struct link *l;
  struct siblings *siblings;
};

static void settle_made(struct blob *b, const char *object, void *user) {
  struct settling *s = user;
  settle(s->l, s->siblings, b, object);
}

struct suspects {
  struct blob **list;
  size_t n;
};

/* The blobs that may need what S has. */
static struct suspects find_suspects(struct link *l, struct siblings *s) {
  struct heads heads = {0};
  struct suspects found = {0};
  argv_unique(&s->lead);
  if (!cxx_shared_lead(&l->headers, &s->lead))
    argv_free(&s->lead);
  for (size_t i = 0; i < l->nblobs; i++)
    if (blob_is_forwarded(&l->blobs[i]) && is_suspect(l, s, &heads, &l->blobs[i]))
      vec_push(found.list, found.n, &l->blobs[i]);
  for (size_t i = 0; i < heads.n; i++) {
    free(heads.keys[i]);
    argv_free(&heads.kernels[i]);
  }
  free(heads.keys);
  free(heads.kernels);
  return found;
}

/* Settle them. Returns whether one was settled. */
static bool settle_suspects(struct link *l, struct siblings *s) {
  struct suspects of = find_suspects(l, s);
  bool changed = false;
  if (of.n)
    link_compile_for_host(l, of.list, of.n, settle_made, &(struct settling){l, s});
  for (size_t i = 0; i < of.n; i++)
    changed |= !blob_is_forwarded(of.list[i]);
  free(of.list);
  siblings_free(s);
  return changed;
}

/* May blobs call functions of others? The linker may leave out stubs that are in archives. */
static void look_for_calls(struct link *l, bool *apart) {
  struct siblings s = {.headers = &l->headers};
  add_recorded(&s, l);
  struct suspects of = find_suspects(l, &s);
  l->blobs_call_blobs = of.n > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    *apart |= l->blobs[i].apart;
  free(of.list);
  siblings_free(&s);
}

void link_settle_needs(struct link *l) {
  struct siblings s = {.headers = &l->headers};
  bool apart = false;
  if (!l->nblobs)
    return;
  look_for_calls(l, &apart);
  ccargs_link_files(&l->line.scan, read_sibling, &s);
  read_archives(&s, l);
  if (s.n)
    qsort(s.all, s.n, sizeof *s.all, by_name);
  argv_unique(&s.names);
  argv_unique(&s.weak);
  argv_unique(&s.kernels);
  argv_unique(&s.shared);
  forget_kernels(&s);
  add_instances(&s);
  if (apart)
    add_recorded(&s, l);
  settle_suspects(l, &s);
}

bool link_settle_late_needs(struct link *l) {
  struct siblings s = {.headers = &l->headers};
  add_late(&s, l);
  return s.late.texts.n && settle_suspects(l, &s);
}
