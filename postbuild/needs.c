/* needs.c - blobs that need what only the library's own objects define.
 *
 * A blob that is compiled on its first call is loaded apart: it sees the libraries of the link line, but nothing of
 * the library itself, which hides most of it. A blob that launches a kernel whose host stub is in a sibling unit,
 * or calls a function of one, would be compiled in the middle of a job and then not be loaded. aiter's opus_gemm
 * has such units: all_instances_host_gfx942.cu instantiates host functions that launch kernels which
 * *.device.cu instantiate.
 *
 * Only the compiler knows what a blob leaves undefined, and asking it for each of thousands of blobs would cost what
 * being lazy saves. So the symbols of the link's other objects are read, and a blob is suspected if
 *
 *     its functions name a function or a template that one of these defines: `log_launch(s)`
 *     it names a variable that one of these defines, or a class whose constructor, operator, conversion or type_info
 *     the same of an explicit instantiation, if no header has its template's body or one says extern template
 *     they or the headers that it includes name a kernel that one of these has the host stub of
 *
 * Most links have no suspects. Of those that are compiled alike and are suspected for the same names, one is
 * compiled for the host, and what that object lacks is looked for among the symbols, by its whole name. If it is
 * there, all of these blobs are compiled ahead of time, and the reason has the symbol.
 *
 * A variable of a header has one copy in a library, be it static in an inline function, inline, or a member of a class
 * template: the linker keeps one of those that the objects have. A blob that is loaded apart would count in a copy of its
 * own. So a blob whose text names such a variable, or the function that it is in, is suspected if one of the other
 * objects has the variable, and goes ahead of time if its object has it too. thread_local ones are left out: they are
 * scratch space (CK's ck_tile::concat), and each thread has its own anyway. A constant that code makes looks like any
 * other variable. Those that only a header's functions use, and those of blobs alone, are onecopy.c's.
 *
 * They could be lazy if the link gave the loaded blob a table of the functions that the library hides. That would keep
 * functions that the linker drops, and reach into a library that said it did not want to be reached; such units are
 * few and mostly host code.
 */
#include "link.h"

#include "flags.h"
#include "onecopy.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/deps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the other objects of the link define. */
struct siblings {
  struct definition {
    char *name, *file;
  } * all;
  size_t n;
  struct buf text;     /* their names, one a line, without those that every unit may define */
  struct buf weak;     /* those of functions that every unit may define, in the same way */
  struct argv kernels; /* whose host stubs are among them */
  struct argv
      shared; /* names to look for in a blob's text: of variables that any object may have, of which the linker
                          keeps one, and of what is used without a bracket behind its name */
  struct argv asked; /* names that were looked for in the text … */
  bool *found;       /* … and whether they are there */
  size_t nfound;
};

struct word {
  const char *p;
  size_t n;
};

/* Suspects that are compiled alike. */
struct class {
  char *key;
  struct blob **blobs;
  size_t n;
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

/* NAME of `<length>__device_stub__NAME` in a mangled name; NULL if it is no host stub. free() it. */
static char *kernel_of(const char *symbol) {
  static const char mark[] = "__device_stub__";
  const char *at = strstr(symbol, mark), *length = at;
  while (length && length > symbol && length[-1] >= '0' && length[-1] <= '9')
    length--;
  unsigned long n = at && length < at ? strtoul(length, NULL, 10) : 0;
  size_t skip = sizeof mark - 1;
  return n > skip && n <= strlen(at) ? xstrndup(at + skip, n - skip) : NULL;
}

/* The name that a source says to use the variable SYMBOL: its own, or that of the function or class that it is in. `shared`
 * of _ZZ6sharedvE1n, `count` of _ZN2ns5countE. free() it. */
static char *shared_name(const char *symbol) {
  if (!str_starts(symbol, "_Z"))
    return xstrdup(symbol);
  const char *p = symbol + 2, *last = NULL;
  size_t len = 0;
  for (p += *p == 'Z'; *p == 'N' || *p == 'K' || *p == 'L';)
    p++;
  while (*p >= '1' && *p <= '9') {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (n > strlen(end))
      break;
    last = end;
    len = n;
    p = end + n;
  }
  return last ? xstrndup(last, len) : NULL;
}

/* Behind the source name at P, `<length><name>`, which is then *NAME; NULL if there is none. */
static const char *source_name(const char *p, struct word *name) {
  char *end;
  unsigned long n = *p >= '1' && *p <= '9' ? strtoul(p, &end, 10) : 0;
  if (!n || n > strlen(end))
    return NULL;
  *name = (struct word){end, n};
  return end + n;
}

/* Is it a constructor, a destructor, an operator, a conversion, type_info or a virtual table? P is behind _Z. */
static bool is_unsaid(const char *p) {
  if (*p == 'T')
    return p[1] == 'I' || p[1] == 'V';
  if (*p != 'N')
    return islower((unsigned char)*p);
  p += 1 + strspn(p + 1, "KVRO");
  struct word name;
  for (const char *behind; (behind = source_name(p, &name));)
    p = behind;
  return *p == 'C' || *p == 'D' || islower((unsigned char)*p);
}

/* Append the names by which a source uses SYM, if it does so without the function's name in front of a bracket: the variable's;
 * the classes in the mangled name of what is_unsaid, and what is around an operator, a namespace or a class. `made` of
 * _ZN4madeC1Ei, `v1` and `number` of _ZN2v1rmERKNS_6numberEi. */
static void add_words(struct argv *words, const struct elf_symbol *sym) {
  bool mangled = str_starts(sym->name, "_Z");
  if (mangled && is_unsaid(sym->name + 2)) {
    for (const char *p = sym->name + 2; *p;) {
      struct word name = {0};
      const char *behind = source_name(p, &name);
      if (behind && !isdigit((unsigned char)*behind))
        argv_add_own(words, xstrndup(name.p, name.n));
      p = behind ? behind : *p == 'L' ? p + strcspn(p, "E") : p + 1;
    }
  } else if (sym->type == STT_OBJECT) {
    char *word = shared_name(sym->name);
    if (word)
      argv_add_own(words, word);
  }
}

/* Is it a function that says it is weak, rather than one that every unit which uses it has? */
static bool is_only_weak(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->bind == STB_WEAK && sym->type == STT_FUNC && elf_section(e, sym->section, &section) &&
         !(section.flags & SHF_GROUP);
}

static bool read_sibling(const char *file, const struct cc_input *in, void *user) {
  struct siblings *s = user;
  (void)in;
  size_t len;
  char *bytes = file_read(file, &len);
  struct elf e;
  struct elf_symtab t;
  struct elf_symbol sym;
  bool object = bytes && elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t);
  object = object && e.type == ET_REL;
  for (size_t i = 0; object && i < t.count; i++) {
    if (!elf_symbol(&t, i, &sym) || sym.section == SHN_UNDEF || sym.bind == STB_LOCAL || !*sym.name ||
        is_standard(sym.name))
      continue;
    vec_push(s->all, s->n, (struct definition){xstrdup(sym.name), xstrdup(file)});
    if (sym.bind == STB_GLOBAL || is_only_weak(&e, &sym))
      buf_printf(&s->text, "\n%s\n", sym.name);
    else if (sym.type == STT_FUNC)
      buf_printf(&s->weak, "\n%s\n", sym.name);
    char *kernel = kernel_of(sym.name), *shared = onecopy_is_shared(&e, &sym) ? shared_name(sym.name) : NULL;
    if (kernel)
      argv_add_own(&s->kernels, kernel);
    if (shared)
      argv_add_own(&s->shared, shared);
    if (sym.bind == STB_GLOBAL || is_only_weak(&e, &sym))
      add_words(&s->shared, &sym);
  }
  free(bytes);
  return true;
}

static int by_name(const void *a, const void *b) {
  const struct definition *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static void siblings_free(struct siblings *s) {
  for (size_t i = 0; i < s->n; i++) {
    free(s->all[i].name);
    free(s->all[i].file);
  }
  free(s->all);
  free(s->found);
  buf_free(&s->text);
  buf_free(&s->weak);
  argv_free(&s->kernels);
  argv_free(&s->shared);
  argv_free(&s->asked);
}

/* ---- suspects ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static bool has_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *p = text; (p = strstr(p, word)); p += n)
    if ((p == text || !strchr(letters, p[-1])) && (!p[n] || !strchr(letters, p[n])))
      return true;
  return false;
}

/* Does a sibling define something called NAME: `3foo` in a mangled name, or foo itself? In front of it may be a digit, in
 * which another name ends: `_ZN2v23fooE`. */
static bool defines(struct siblings *s, const struct cxx_shared *headers, const char *name) {
  for (size_t i = 0; i < s->asked.n; i++)
    if (strcmp(s->asked.args[i], name) == 0)
      return s->found[i];
  char *mangled = xasprintf("%zu%s", strlen(name), name);
  bool found = argv_has(&s->kernels, name);
  if (s->text.len)
    found |= strstr(s->text.data, mangled) || has_word(s->text.data, name);
  if (s->weak.len && !found) /* instantiated explicitly, for units that do not have the body */
    found = strstr(s->weak.data, mangled) && cxx_shared_elsewhere(headers, name);
  free(mangled);
  argv_add(&s->asked, name);
  vec_push(s->found, s->nfound, found);
  return found;
}

static int word_and_name(const void *word, const void *name) {
  const struct word *w = word;
  const char *k = *(char *const *)name;
  int c = strncmp(w->p, k, w->n);
  return c ? c : -(k[w->n] != 0);
}

/* Append those of NAMES, which are sorted, that are words of TEXT. */
static void words_in(struct argv *out, const struct argv *names, const char *text) {
  for (const char *p = text + strcspn(text, letters); *p; p += strcspn(p, letters)) {
    struct word w = {p, strspn(p, letters)};
    char **found = bsearch(&w, names->args, names->n, sizeof *names->args, word_and_name);
    if (found && !argv_has(out, *found))
      argv_add(out, *found);
    p += w.n;
  }
}

/* Append the KERNELS that the headers of R name, but for those of the system. */
static void kernels_in_headers(struct argv *out, const struct argv *kernels, const struct record *r) {
  struct buf rule = {0};
  struct argv headers = {0};
  size_t len;
  char *text = file_read(r->source, &len);
  if (text)
    deps_format(&rule, &r->cc, r->cwd, text, len, NULL);
  free(text);
  deps_read(&headers, rule.len ? rule.data : "");
  for (size_t i = 1; i < headers.n; i++) {
    char *file = path_abs_in(r->cwd, headers.args[i]);
    char *header = path_within(file, "/usr") || path_within(file, "/opt") ? NULL : file_read(file, &len);
    if (header)
      words_in(out, kernels, header);
    free(header);
    free(file);
  }
  argv_free(&headers);
  buf_free(&rule);
}

/* What B's headers name of the kernels; blobs with the same #includes, in one directory, name the same. */
struct heads {
  char **keys;
  struct argv *kernels;
  size_t n;
};

static const struct argv *kernels_of(struct heads *h, const struct siblings *s, const struct blob *b) {
  struct argv flags = {0};
  flags_code(&flags, b->record);
  char *dir = path_dir(b->record->source), *joined = argv_join(flags.args);
  char *key =
      xasprintf("%s\n%s\n%s\n%s", b->record->cwd, dir, joined, b->preamble.len ? b->preamble.data : "");
  free(dir);
  free(joined);
  argv_free(&flags);
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

/* The names for which B is suspected, as text; NULL if there are none. free() it. */
static char *suspicion(struct link *l, struct siblings *s, struct heads *heads, const struct blob *b) {
  struct argv names = {0};
  const struct argv *const lists[] = {&b->uses, &b->calls};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < lists[i]->n; k++)
      if (!functions_find(&l->functions, lists[i]->args[k]) && defines(s, &l->headers, lists[i]->args[k]))
        argv_add(&names, lists[i]->args[k]);
  if (s->kernels.n)
    argv_add_all(&names, kernels_of(heads, s, b)->args);
  for (size_t i = 0; i <= b->parts.n && s->shared.n; i++) { /* a unit may only include where they are said */
    size_t len;
    char *text_of = file_read(i ? b->parts.args[i - 1] : b->record->source, &len);
    if (text_of)
      words_in(&names, &s->shared, text_of);
    free(text_of);
  }
  argv_unique(&names);
  char *text = names.n ? argv_join(names.args) : NULL;
  argv_free(&names);
  return text;
}

static void add_suspect(struct class **classes, size_t *n, struct blob *b, char *names) {
  struct argv flags = {0};
  flags_code(&flags, b->record);
  char *joined = argv_join(flags.args);
  char *key =
      xasprintf("%s\n%s\n%s\n%s", b->record->cwd, joined, b->preamble.len ? b->preamble.data : "", names);
  free(joined);
  argv_free(&flags);
  size_t i = *n;
  while (i > 0 && strcmp((*classes)[i - 1].key, key) != 0)
    i--;
  if (i)
    free(key);
  else
    vec_push(*classes, *n, (struct class){.key = key});
  struct class *c = &(*classes)[i ? i - 1 : *n - 1];
  vec_push(c->blobs, c->n, b);
}

/* ---- what they lack ---- */

/* The first symbol that OBJECT lacks and a sibling defines, or that both define and must be one (*SHARED); NULL if there is
 * none. */
static const struct definition *lacks(const struct siblings *s, const char *object, bool *shared) {
  size_t len;
  char *bytes = file_read(object, &len);
  struct elf e;
  struct elf_symtab t;
  struct elf_symbol sym;
  const struct definition *found = NULL;
  bool open = bytes && elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t);
  for (size_t i = 0; open && i < t.count && !found; i++) {
    if (!elf_symbol(&t, i, &sym) || !*sym.name)
      continue;
    *shared = sym.section != SHN_UNDEF;
    if (!*shared || (s->shared.n && onecopy_is_shared(&e, &sym)))
      found = bsearch(&(struct definition){.name = (char *)sym.name}, s->all, s->n, sizeof *s->all, by_name);
  }
  free(bytes);
  return found;
}

static void try_suspects(struct link *l, const struct siblings *s, const struct class *classes, size_t n) {
  struct step *steps = xcalloc(n, sizeof *steps);
  for (size_t i = 0; i < n; i++) {
    const struct record *r = classes[i].blobs[0]->record;
    char *object = xasprintf("%s/objs/needs-%zu-%s.o", l->dir, i, r->stem);
    flags_host(&steps[i].args, r);
    flags_word(&steps[i].args, r, "-w");
    step_source(&steps[i], r, r->source, object);
    free(object);
  }
  steps_run(&l->runner, steps, n);
  link_count_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    bool shared = false;
    const struct definition *d = steps[i].status ? NULL : lacks(s, steps[i].object, &shared);
    for (size_t k = 0; d && k < classes[i].n; k++)
      blob_settle(
          classes[i].blobs[k], BLOB_AHEAD,
          xasprintf(shared ? "it shares the variable %s with %s, and would have a copy of its own when it is "
                             "loaded apart"
                           : "it needs %s of %s, which it could not reach when it is loaded apart",
                    d->name, path_base(d->file)));
    step_free(&steps[i]);
  }
  free(steps);
}

void link_settle_needs(struct link *l) {
  struct siblings s = {0};
  struct heads heads = {0};
  struct class *classes = NULL;
  size_t n = 0;
  if (l->nblobs)
    ccargs_link_files(&l->line.scan, read_sibling, &s);
  if (s.n)
    qsort(s.all, s.n, sizeof *s.all, by_name);
  argv_unique(&s.kernels);
  argv_unique(&s.shared);
  for (size_t i = 0; i < l->nblobs && s.n; i++) {
    char *names = blob_is_forwarded(&l->blobs[i]) ? suspicion(l, &s, &heads, &l->blobs[i]) : NULL;
    if (names)
      add_suspect(&classes, &n, &l->blobs[i], names);
    free(names);
  }
  if (n)
    try_suspects(l, &s, classes, n);
  for (size_t i = 0; i < n; i++) {
    free(classes[i].key);
    free(classes[i].blobs);
  }
  free(classes);
  for (size_t i = 0; i < heads.n; i++) {
    free(heads.keys[i]);
    argv_free(&heads.kernels[i]);
  }
  free(heads.keys);
  free(heads.kernels);
  siblings_free(&s);
}
