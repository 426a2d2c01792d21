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
 * And it must not have a second copy of a variable of which the library has one, be it static in an
 * inline function, inline, or a member of a class template: the linker keeps one of the objects'
 * copies, blobs that are loaded apart would count separately. They could be lazy if the library
 * exported its copy to them, but it hides it on purpose. thread_local variables do not count: they
 * are scratch space (CK's ck_tile::concat), and each thread has its own anyway. A kernel's own
 * state, `template <class T> struct kernel { static bool ready; }`, costs no laziness if no two
 * units use the same T. A constant that code makes looks like any other variable. Headers of the
 * system and of packages (PyTorch's, with state in every other one) are not read for such
 * variables, and variables that a macro makes are not seen: the runtime gives a loaded blob the
 * library's copy (imports.c), unless an attribute of the variable's own hides it.
 *
 * Only the compiler knows what a blob leaves undefined, and asking it for each of thousands of
 * blobs would cost what being lazy saves. So a blob is suspected if its text names what another
 * unit defines (siblings.h), or what leads there, or to a shared variable, in the build's own
 * headers (core/cxx/cxxshared.h): an inline function that calls it, a function that returns the
 * class, `auto a = make(); a + 1`. Most links have no suspects. Suspects are compiled for the host,
 * for one may mention what another that is compiled alike calls. One that needs or shares a symbol
 * by its whole name is compiled ahead of time, and the reason has the symbol.
 */
#include "siblings.h"

#include "flags.h"
#include "mangled.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cxx/cxxlex.h"
#include "core/cxx/markedlines.h"

#include <ctype.h>

/* Blobs and dispatchers that are compiled alike, with the same headers. */
struct kind {
  char *alike;
  char *text; /* of one of them, as the preprocessor leaves it; NULL: there is none */
  bool asked;
  /* names that the compiler's own headers alone say, and names that others say as well */
  struct argv own, other;
};

/* A unit that may need or share something. */
struct suspect {
  const struct record *record;
  struct blob *blob;             /* NULL: a dispatcher */
  size_t kind;                   /* of one that may share a variable */
  bool spared;                   /* it is compiled only if another turns out to have such a variable */
  size_t *variables, nvariables; /* of headers, that its object has */
};

struct needs {
  struct link *l;
  struct siblings *siblings;
  struct kind *kinds;
  size_t nkinds;
  struct suspect *suspects;
  size_t nsuspects;
  struct intern names; /* of variables of headers, as symbols */
  /* the first two suspects that have each of them */
  struct variable {
    const struct suspect *first, *second;
  } * variables;
  size_t nvariables;
};

/* ---- texts ---- */

/* The identifiers and directives of TEXT, without includes, and what comments and strings say: CK's
 * blobs include fmha_fwd.hpp, and do not call fmha_fwd. */
static struct buf code_of(const char *text, size_t len) {
  struct cxx_text t;
  struct buf names = {0};
  buf_puts(&names, "");
  if (!cxx_lex(&t, text, len))
    buf_add(&names, text, len);
  for (uint32_t i = 0; i < t.n; i++) {
    const char *word = t.text + t.toks[i].at;
    bool directive = t.toks[i].kind == TOK_DIRECTIVE;
    if (directive ? !str_starts(word + 1 + strspn(word + 1, " \t"), "include") : cxx_ident(&t, i)) {
      buf_add(&names, word, t.toks[i].len);
      buf_putc(&names, ' ');
    }
  }
  cxx_text_free(&t);
  return names;
}

/* Does TEXT have a word that leads to a variable of headers? */
static bool leads_to_variable(const struct needs *n, const struct blob *b, const char *text) {
  autofree_argv words = {0};
  (void)b;
  cxx_shared_find(&n->l->headers, &words, text);
  return words.n > 0;
}

/* Is WORD a function of blobs whose body they have themselves? That of an explicit instantiation is
 * in a header, and leads where it calls. */
static bool is_blobs(const struct needs *n, const char *word) {
  const struct cxx_use *use = cxx_shared_use(&n->l->headers, word);
  return functions_find(&n->l->functions, word) && !(use && use->bodied);
}

/* Does TEXT, of B, have a word that leads to what a sibling defines? B's own functions do not
 * count, and siblings_may_define knows more of templates that blobs specialise. */
static bool leads_to_sibling(const struct needs *n, const struct blob *b, const char *text) {
  const struct siblings *s = n->siblings;
  autofree_argv words = {0};
  bool any = false;
  for (struct cxx_word w = cxx_word(text); w.n && !any && s->shared.texts.n; w = cxx_word(w.p + w.n))
    any = intern_find_bytes(&s->shared, w.p, w.n) != SIZE_MAX;
  if (s->lead.n)
    cxx_shared_find(&n->l->headers, &words, text);
  for (size_t i = 0; i < words.n && !any; i++)
    any = !is_blobs(n, words.args[i]) && !siblings_is_own(s, b, words.args[i]);
  return any;
}

typedef bool text_leads(const struct needs *n, const struct blob *b, const char *text);

/* Does the code of R's source, or of a part of B (NULL: it has none), lead somewhere? */
static bool unit_leads(const struct needs *n, const struct record *r, const struct blob *b,
                       text_leads *leads) {
  bool any = false;
  for (size_t i = 0; i <= (b ? b->parts.n : 0) && !any; i++) {
    size_t len;
    autofree char *text = file_read_text(i ? b->parts.args[i - 1] : r->source, &len);
    any = text && leads(n, b, text);
    if (any) { /* rarely */
      autofree_buf code = code_of(text, len);
      any = leads(n, b, code.data);
    }
  }
  return any;
}

/* ---- what is compiled alike ---- */

/* The number of the kind of R, which is B's (NULL: a dispatcher's). */
static size_t kind_of(struct needs *n, const struct record *r, const struct blob *b) {
  char *key = flags_alike(r, !b ? r->source : b->preamble.len ? b->preamble.data : "");
  size_t i = 0;
  while (i < n->nkinds && strcmp(n->kinds[i].alike, key) != 0)
    i++;
  if (i == n->nkinds)
    vec_push(n->kinds, n->nkinds, (struct kind){.alike = key});
  else
    free(key);
  return i;
}

/* See to it that the kinds of COUNT suspects LIST have their texts. */
static void ask_preprocessor(struct needs *n, const struct suspect *list, size_t count) {
  autofree struct step *steps = xcalloc(count + 1, sizeof *steps);
  size_t m = 0;
  for (size_t i = 0; i < count; i++) {
    struct kind *k = &n->kinds[list[i].kind];
    if (k->asked)
      continue;
    k->asked = true;
    autofree char *name = xasprintf("headers-%zu", list[i].kind);
    steps[m] = link_text_step(n->l, list[i].record, name);
    steps[m++].user = k;
  }
  link_run_steps(n->l, steps, m);
  for (size_t i = 0; i < m; i++) {
    struct kind *k = steps[i].user;
    size_t len;
    k->text = steps[i].status ? NULL : file_read_text(steps[i].object, &len);
    step_free(&steps[i]);
  }
}

/* ---- suspects ---- */

/* May B need what a sibling defines, and is not to be had? */
static bool may_need(const struct needs *n, const struct blob *b) {
  const struct siblings *s = n->siblings;
  bool any = false;
  for (size_t i = 0; i < b->uses.n && !any; i++)
    any = siblings_may_define(s, b, b->uses.args[i]);
  for (size_t i = 0; i < b->calls.n && !any; i++)
    any = siblings_may_define(s, b, b->calls.args[i]);
  if (any || (!s->shared.texts.n && !s->lead.n))
    return any;
  return unit_leads(n, b->record, b, leads_to_sibling); /* it may only include where they are said */
}

/* Blobs that may need what siblings have. */
static void find_needing(struct needs *n) {
  struct link *l = n->l;
  argv_unique(&n->siblings->lead);
  if (!cxx_shared_lead(&l->headers, &n->siblings->lead))
    argv_free(&n->siblings->lead);
  for (size_t i = 0; i < l->nblobs; i++)
    if (blob_is_forwarded(&l->blobs[i]) && may_need(n, &l->blobs[i]))
      vec_push(n->suspects, n->nsuspects,
               (struct suspect){.record = l->blobs[i].record, .blob = &l->blobs[i]});
}

static bool is_suspect(const struct needs *n, const struct record *r) {
  bool is = false;
  for (size_t i = 0; i < n->nsuspects && !is; i++)
    is = n->suspects[i].record == r;
  return is;
}

static void suspect_of_sharing(struct needs *n, const struct record *r, struct blob *b) {
  if (!is_suspect(n, r) && unit_leads(n, r, b, leads_to_variable))
    vec_push(n->suspects, n->nsuspects, (struct suspect){.record = r, .blob = b, .kind = kind_of(n, r, b)});
}

static int by_kind(const void *a, const void *b) {
  const struct suspect *x = a, *y = b;
  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                            : (x->record > y->record) - (x->record < y->record);
}

/* What the build's own headers declare in K's text, without R's own. */
static void read_preprocessed(struct cxx_shared *out, const struct record *r, const struct kind *k) {
  struct marked_lines line = {.next = k->text};
  autofree_buf own = {0};
  bool skip = true;
  while (marked_next(&line)) {
    if (line.marked) {
      autofree char *name = xstrndup(line.file, line.file_len), *whole = path_abs_in(r->cwd, name);
      skip = *name == '<' || ownheaders_is_foreign(r, whole) || strcmp(whole, r->source) == 0;
    }
    if (!skip)
      buf_add(&own, line.p, line.n);
  }
  if (own.len)
    cxx_shared_add(out, own.data, own.len);
}

/* The names that lead to variables are now those of a unit of kind K, as the preprocessor leaves
 * its headers. False: there are none. */
static bool ask_of_kind(struct needs *n, const struct kind *k, const struct record *r) {
  struct cxx_shared left = {0};
  if (k->text)
    read_preprocessed(&left, r, k);
  bool any = cxx_shared_close(&n->l->headers, k->text ? &left.variables : NULL);
  cxx_shared_free(&left);
  return any;
}

/* Drop the suspects from FIRST on whose variables the preprocessor does not leave in place.
 * cutlass's headers have two that a macro enables, and one that only some processors have: names
 * such as half_t lead to them. */
static void sift_sharing(struct needs *n, size_t first) {
  size_t kept = first;
  ask_preprocessor(n, n->suspects + first, n->nsuspects - first);
  qsort(n->suspects + first, n->nsuspects - first, sizeof *n->suspects, by_kind);
  for (size_t i = first, before = SIZE_MAX, any = 0; i < n->nsuspects; i++) {
    struct suspect s = n->suspects[i];
    if (s.kind != before)
      any = ask_of_kind(n, &n->kinds[s.kind], s.record);
    before = s.kind;
    if (any && unit_leads(n, s.record, s.blob, leads_to_variable))
      n->suspects[kept++] = s;
  }
  n->nsuspects = kept;
}

/* Is S a blob of explicit instantiations of the template OWNER, without a body that could make others? */
static bool only_instantiates(const struct suspect *s, const char *owner) {
  const struct blob *b = s->blob;
  return b && !b->late && blob_is_forwarded(b) && !b->uses.n && !b->calls.n && argv_has(&b->functions, owner);
}

/* Spare the suspects from FIRST on whose variables are, each, of instances that they alone make: ggml has a
 * flag in a launcher, and one source for each of its instances. */
static void spare_instances(struct needs *n, size_t first) {
  enum { MOST = 16 }; /* each variable is a search */
  struct cxx_shared *headers = &n->l->headers;
  const struct argv *all = &headers->variables;
  if (all->n > MOST)
    return;
  for (size_t i = first; i < n->nsuspects; i++)
    n->suspects[i].spared = true;
  for (size_t v = 0; v < all->n; v++) {
    const struct argv one = {.args = all->args + v, .n = 1};
    const char *owner = cxx_shared_owner(headers, all->args[v]);
    /* The library's objects have an instance: mangled_variable names it. */
    if (owner && intern_find(&n->siblings->shared, owner) != SIZE_MAX)
      owner = NULL;
    cxx_shared_close(headers, &one);
    for (size_t i = first; i < n->nsuspects; i++) {
      struct suspect *s = &n->suspects[i];
      if (s->spared && !(owner && only_instantiates(s, owner)))
        s->spared = !unit_leads(n, s->record, s->blob, leads_to_variable);
    }
  }
}

/* Blobs and dispatchers that may share a variable of the build's own headers. */
static void find_sharing(struct needs *n) {
  struct link *l = n->l;
  size_t first = n->nsuspects;
  if (!cxx_shared_close(&l->headers, NULL))
    return;
  for (size_t i = 0; i < l->nblobs; i++)
    suspect_of_sharing(n, l->blobs[i].record, &l->blobs[i]);
  for (size_t i = 0; i < l->ndispatchers; i++)
    if (!link_has_blob(l, l->dispatchers[i].record))
      suspect_of_sharing(n, l->dispatchers[i].record, NULL);
  if (first < n->nsuspects)
    sift_sharing(n, first);
  if (first < n->nsuspects)
    spare_instances(n, first);
}

/* ---- state of the compiler's own headers ---- */

/* The directory that the headers of the compiler COMPILER are below; NULL: it is one that others'
 * are below as well. free() it. */
static char *home_of(const char *compiler) {
  autofree char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : "/");
  char *home = path_dir(bin);
  if (strcmp(home, "/usr") != 0 && strcmp(home, "/") != 0 && strcmp(home, "/usr/local") != 0)
    return home;
  free(home);
  return NULL;
}

/* Is the file that LINE comes from below HOME? */
static bool is_below(const char *home, const char *cwd, const struct marked_lines *line) {
  autofree char *name = xstrndup(line->file ? line->file : "", line->file_len),
                *file = path_abs_in(cwd, name), *real = realpath(file, NULL);
  return *name && real && path_within(real, home);
}

static bool has_word(const struct marked_lines *line, const char *word) {
  size_t n = strlen(word);
  bool has = false;
  for (const char *at = line->p, *end = at + line->n; !has && (at = memmem(at, (size_t)(end - at), word, n));
       at += n)
    has = !(at > line->p && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
          !(isalnum((unsigned char)at[n]) || at[n] == '_');
  return has;
}

/* Does TEXT, a preprocessed one, say WORD in files below HOME, and nowhere else? */
static bool is_said_below(const char *home, const char *cwd, const char *text, const char *word) {
  struct marked_lines line = {.next = text};
  bool said = false;
  while (marked_next(&line))
    if (has_word(&line, word)) {
      if (!is_below(home, cwd, &line))
        return false;
      said = true;
    }
  return said;
}

/* Is SYM, a variable that B and others have, state of the compiler's own headers that each shared
 * object has for itself? It is hidden, and nothing else says its name: such headers are in
 * several libraries of a process, each with its copy, and work so. nvtx3's nvtxGlobals_v3 is in
 * all that use CUB (faiss: 128 blobs). */
static bool is_of_each(struct needs *n, const struct blob *b, const struct elf_symbol *sym) {
  autofree char *home = sym->visibility == STV_HIDDEN ? home_of(b->record->compiler) : NULL;
  autofree char *word = home ? mangled_variable(sym->name) : NULL;
  bool is = false;
  if (word) {
    struct suspect s = {.record = b->record, .kind = kind_of(n, b->record, b)};
    struct kind *k = &n->kinds[s.kind];
    ask_preprocessor(n, &s, 1);
    is = argv_has(&k->own, word);
    if (k->text && !is && !argv_has(&k->other, word)) {
      is = is_said_below(home, b->record->cwd, k->text, word);
      argv_add(is ? &k->own : &k->other, word);
    }
  }
  return is;
}

/* ---- what they lack or share ---- */

/* Of the mangled NAME, is a function or a variable one of what blobs and dispatchers may have? */
static bool is_recorded(const struct siblings *s, const char *name) {
  autofree_argv names = {0};
  bool found = false;
  mangled_words(&names, name);
  for (size_t i = 0; i < names.n && !found; i++)
    found = intern_find(&s->recorded, names.args[i]) != SIZE_MAX;
  return found;
}

/* Is the function of the mangled NAME one of what other blobs, which are late, define? */
static bool is_of_late(const struct siblings *s, const struct blob *b, const char *name) {
  autofree char *last = mangled_last(name);
  return siblings_late_elsewhere(s, b, last);
}

static void settle_sharing(struct blob *b, const char *variable, const char *other) {
  blob_settle(b, BLOB_AHEAD,
              xasprintf("it shares the variable %s with %s, and would have a separate copy when it "
                        "is loaded apart",
                        variable, other));
}

/* Settle B, which is forwarded, if its object lacks SYM, or SHARES it, and a sibling has it. */
static void settle_symbol(struct needs *n, struct blob *b, const struct elf_symbol *sym, bool shares) {
  const struct siblings *s = n->siblings;
  bool lacks = sym->section == SHN_UNDEF;
  const struct sibling *of = lacks || shares ? siblings_find(s, sym->name) : NULL;
  if (of && (shares ? is_of_each(n, b, sym) : of->imported))
    return;
  if (of && shares)
    settle_sharing(b, sym->name, path_base(of->file));
  else if (of || (lacks && (is_recorded(s, sym->name) || is_of_late(s, b, sym->name))))
    blob_settle(b, BLOB_AHEAD,
                xasprintf("it needs %s of %s, which it could not reach when it is loaded apart", sym->name,
                          of ? path_base(of->file) : "another unit that was recorded"));
}

/* Is SYMBOL one of the variables of the headers: `5level` in a mangled name, or level itself? */
static bool is_of_headers(const struct link *l, const char *symbol) {
  const struct argv *names = &l->headers.variables;
  bool found = false;
  for (size_t i = 0; i < names->n && !found; i++) {
    autofree char *mangled = xasprintf("%zu%s", strlen(names->args[i]), names->args[i]);
    found = strstr(symbol, mangled) || strcmp(symbol, names->args[i]) == 0;
  }
  return found;
}

static void note_variable(struct needs *n, struct suspect *s, const char *symbol) {
  size_t k = intern(&n->names, symbol);
  if (k == n->nvariables)
    vec_push(n->variables, n->nvariables, (struct variable){0});
  struct variable *v = &n->variables[k];
  if (!v->first)
    v->first = s;
  else if (!v->second && v->first != s)
    v->second = s;
  vec_push(s->variables, s->nvariables, k);
}

/* Look at OBJECT, S compiled for the host. */
static void read_object(struct needs *n, struct suspect *s, const char *object) {
  struct elf_symbols of;
  struct elf_symbol sym;
  elf_symbols_open(&of, object, SHT_SYMTAB);
  while (elf_symbols_next(&of, &sym)) {
    bool shares = sym.section != SHN_UNDEF && siblings_is_shared(&of.elf, &sym);
    if (!*sym.name)
      continue;
    if (s->blob && blob_is_forwarded(s->blob))
      settle_symbol(n, s->blob, &sym, shares);
    if (shares && is_of_headers(n->l, sym.name))
      note_variable(n, s, sym.name);
  }
  elf_symbols_close(&of);
}

static void read_blob(struct blob *b, const char *object, void *user) {
  struct needs *n = user;
  for (size_t i = 0; i < n->nsuspects; i++)
    if (n->suspects[i].blob == b)
      read_object(n, &n->suspects[i], object);
}

/* Compile the suspects for the host that are SPARED, or the others. */
static void compile_suspects(struct needs *n, bool spared) {
  struct link *l = n->l;
  autofree struct blob **blobs = xcalloc(n->nsuspects + 1, sizeof *blobs);
  autofree struct step *others = xcalloc(n->nsuspects + 1, sizeof *others);
  size_t nblobs = 0, nothers = 0;
  for (size_t i = 0; i < n->nsuspects; i++) {
    struct suspect *s = &n->suspects[i];
    if (s->spared != spared)
      continue;
    if (s->blob) {
      blobs[nblobs++] = s->blob;
    } else {
      others[nothers] = link_host_step(l, s->record);
      others[nothers++].user = s;
    }
  }
  link_compile_for_host(l, blobs, nblobs, read_blob, n);
  link_run_steps(l, others, nothers);
  for (size_t i = 0; i < nothers; i++) {
    if (!others[i].status)
      read_object(n, others[i].user, others[i].object);
    step_free(&others[i]);
  }
}

/* Compile the suspects, and settle blobs by what their objects say. */
static void try_suspects(struct needs *n) {
  compile_suspects(n, false);
  if (n->nvariables)
    compile_suspects(n, true);
  for (size_t i = 0; i < n->nsuspects; i++) {
    const struct suspect *s = &n->suspects[i];
    for (size_t k = 0; s->blob && k < s->nvariables; k++) {
      const struct variable *v = &n->variables[s->variables[k]];
      if (v->second)
        settle_sharing(s->blob, n->names.texts.args[s->variables[k]],
                       record_place((v->first == s ? v->second : v->first)->record));
    }
  }
}

/* ---- all of it ---- */

static void needs_free(struct needs *n) {
  for (size_t i = 0; i < n->nsuspects; i++)
    free(n->suspects[i].variables);
  free(n->suspects);
  for (size_t i = 0; i < n->nkinds; i++) {
    free(n->kinds[i].alike);
    free(n->kinds[i].text);
    argv_free(&n->kinds[i].own);
    argv_free(&n->kinds[i].other);
  }
  free(n->kinds);
  free(n->variables);
  intern_free(&n->names);
  siblings_free(n->siblings);
}

void link_settle_needs(struct link *l) {
  struct siblings recorded = {.l = l}, s = {.l = l};
  struct needs calls = {.l = l, .siblings = &recorded}, n = {.l = l, .siblings = &s};
  bool apart = false;
  if (!l->nblobs)
    return;
  /* May blobs call functions of others? The linker may leave out stubs that are in archives. */
  siblings_add_recorded(&recorded);
  find_needing(&calls);
  l->blobs_call_blobs = calls.nsuspects > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    apart |= l->blobs[i].apart;
  siblings_read(&s);
  if (apart)
    siblings_add_recorded(&s);
  find_needing(&n);
  find_sharing(&n);
  try_suspects(&n);
  needs_free(&calls);
  needs_free(&n);
}

bool link_settle_late_needs(struct link *l) {
  struct siblings s = {.l = l};
  struct needs n = {.l = l, .siblings = &s};
  bool changed = false;
  siblings_add_late(&s);
  if (s.late.texts.n) {
    find_needing(&n);
    try_suspects(&n);
  }
  for (size_t i = 0; i < n.nsuspects; i++)
    changed |= !blob_is_forwarded(n.suspects[i].blob);
  needs_free(&n);
  return changed;
}
