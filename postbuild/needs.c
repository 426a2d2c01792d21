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
 * Of a variable of which a regular library has one, be it static in an inline function, inline, or a
 * member of a class template, a loaded blob uses the library's copy (runtime/ck_jit_imports.h). The
 * runtime cannot exchange one that an attribute of its own hides, so a blob with such a variable of
 * the build's own headers is not loaded apart. Headers of the system and of packages are not read for
 * that: what they hide is for each shared object, such as nvtx3's nvtxGlobals_v3. Nor does a linker
 * leave to another object what an attribute hides, so a blob that calls such a function is not
 * loaded apart either.
 *
 * Only the compiler knows what a blob leaves undefined, and asking it for each of thousands of
 * blobs would cost what being lazy saves. So a blob is suspected if its text names what another
 * unit defines (siblings.h), or what leads there, in the build's own headers
 * (core/cxx/cxxshared.h): an inline function that calls it, a function that returns the class,
 * `auto a = make(); a + 1`. Most links have no suspects. Suspects are compiled for the host, for
 * one may mention what another that is compiled alike calls. One that needs a symbol by its whole
 * name is compiled ahead of time, and the reason has the symbol.
 */
#include "siblings.h"

#include "imports.h"
#include "mangled.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cxx/cxxlex.h"

struct needs {
  struct link *l;
  struct siblings *siblings;
  /* blobs that may need something */
  struct blob **suspects;
  size_t nsuspects;
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

/* Does TEXT have a word that leads to what the headers were asked for last? */
static bool leads_to_target(const struct needs *n, const struct blob *b, const char *text) {
  autofree_argv words = {0};
  (void)b;
  cxx_shared_find(&n->l->headers, &words, text);
  return words.n > 0;
}

/* Does TEXT say one of WORDS? */
static bool says_one(const char *text, const struct intern *words) {
  bool any = false;
  for (struct cxx_word w = cxx_word(text); w.n && !any && words->texts.n; w = cxx_word(w.p + w.n))
    any = intern_find_bytes(words, w.p, w.n) != SIZE_MAX;
  return any;
}

/* Does TEXT have a word of what the headers hide, or one that leads there? */
static bool leads_to_hidden(const struct needs *n, const struct blob *b, const char *text) {
  return says_one(text, &n->l->hidden) || leads_to_target(n, b, text);
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
  bool any = says_one(text, &s->shared);
  if (s->lead.n)
    cxx_shared_find(&n->l->headers, &words, text);
  for (size_t i = 0; i < words.n && !any; i++)
    any = !is_blobs(n, words.args[i]) && !siblings_is_own(s, b, words.args[i]);
  return any;
}

typedef bool text_leads(const struct needs *n, const struct blob *b, const char *text);

/* Does the code of B's source, or of a part of it, lead somewhere? */
static bool blob_leads(const struct needs *n, const struct blob *b, text_leads *leads) {
  bool any = false;
  for (size_t i = 0; i <= b->parts.n && !any; i++) {
    size_t len;
    autofree char *text = file_read_text(i ? b->parts.args[i - 1] : b->record->source, &len);
    any = text && leads(n, b, text);
    if (any) { /* rarely */
      autofree_buf code = code_of(text, len);
      any = leads(n, b, code.data);
    }
  }
  return any;
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
  return blob_leads(n, b, leads_to_sibling); /* it may only include where they are said */
}

/* Blobs that may need what siblings have. */
static void find_needing(struct needs *n) {
  struct link *l = n->l;
  argv_unique(&n->siblings->lead);
  if (!cxx_shared_lead(&l->headers, &n->siblings->lead))
    argv_free(&n->siblings->lead);
  for (size_t i = 0; i < l->nblobs; i++)
    if (blob_is_forwarded(&l->blobs[i]) && may_need(n, &l->blobs[i]))
      vec_push(n->suspects, n->nsuspects, &l->blobs[i]);
}

/* ---- what they lack ---- */

/* Of the mangled NAME, is a function or a variable one of what blobs and dispatchers may have? */
static bool is_recorded(const struct siblings *s, const char *name) {
  autofree_argv names = {0};
  bool found = false;
  mangled_words(&names, name);
  for (size_t i = 0; i < names.n && !found; i++)
    found = intern_find(&s->recorded, names.args[i]) != SIZE_MAX;
  return found;
}

/* Is the function of the mangled NAME one of what other blobs, which are late, define? Of B's own kernels, its object
 * for the host has no stub. */
static bool is_of_late(const struct siblings *s, const struct blob *b, const char *name) {
  autofree char *last = mangled_last(name);
  autofree_argv names = {0};
  const struct definition *def;
  bool of_class;
  if (!siblings_late_elsewhere(s, b, last))
    return false;
  mangled_names(&names, name, &of_class);
  bool other = blob_fits(b, &names, name, &def) < 2 || def->kind != DEFINES_KERNEL;
  for (size_t i = 0; i < s->l->nblobs && !other; i++)
    other = &s->l->blobs[i] != b && blob_fits(&s->l->blobs[i], &names, name, &def) == 2;
  return other;
}

/* Settle B, which is forwarded, if its object lacks SYM, and a sibling has it. */
static void settle_symbol(struct needs *n, struct blob *b, const struct elf_symbol *sym) {
  const struct siblings *s = n->siblings;
  const struct sibling *of = siblings_find(s, sym->name);
  if (of ? !of->imported : is_recorded(s, sym->name) || is_of_late(s, b, sym->name))
    blob_settle(b, BLOB_AHEAD,
                xasprintf("it needs %s of %s, which it could not reach when it is loaded apart", sym->name,
                          of ? path_base(of->file) : "another unit that was recorded"));
}

/* Look at OBJECT, B compiled for the host. */
static void read_blob(struct blob *b, const char *object, void *user) {
  struct elf_symbols of;
  struct elf_symbol sym;
  elf_symbols_open(&of, object, SHT_SYMTAB);
  while (elf_symbols_next(&of, &sym) && blob_is_forwarded(b))
    if (sym.section == SHN_UNDEF && *sym.name)
      settle_symbol(user, b, &sym);
  elf_symbols_close(&of);
}

static void try_suspects(struct needs *n) {
  link_compile_for_host(n->l, n->suspects, n->nsuspects, read_blob, n);
}

/* ---- what an attribute hides ---- */

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

/* Settle B if OBJECT, B compiled for the host, has a hidden variable of the build's own headers, or
 * needs something hidden of the library. */
static void settle_hiding(const struct link *l, struct blob *b, const char *object) {
  struct elf_symbols of;
  struct elf_symbol sym;
  elf_symbols_open(&of, object, SHT_SYMTAB);
  while (elf_symbols_next(&of, &sym) && blob_is_forwarded(b)) {
    if (sym.visibility == STV_DEFAULT || sym.bind == STB_LOCAL)
      continue;
    if (sym.section == SHN_UNDEF && sym.bind != STB_WEAK && !str_starts(sym.name, "__dso_handle"))
      blob_settle(b, BLOB_AHEAD,
                  xasprintf("it needs %s, which an attribute hides from what is loaded apart", sym.name));
    else if (imports_is_one_copy(&of.elf, &sym) && is_of_headers(l, sym.name))
      blob_settle(
          b, BLOB_AHEAD,
          xasprintf("an attribute hides the variable %s, and it would have a separate copy when it is "
                    "loaded apart",
                    sym.name));
  }
  elf_symbols_close(&of);
}

/* Note in MAY the blobs that lead to what the headers were asked for last, by LEADS. */
static void find_hiding(const struct needs *n, text_leads *leads, bool *may) {
  const struct link *l = n->l;
  for (size_t i = 0; i < l->nblobs; i++)
    may[i] = may[i] || (blob_is_forwarded(&l->blobs[i]) && blob_leads(n, &l->blobs[i], leads));
}

/* Compile the blobs that may have or need something hidden, without what the command hides. Most builds hide
 * nothing by an attribute. */
static void try_hiding(struct needs *n) {
  struct link *l = n->l;
  if (!l->hides)
    return;
  const bool all = intern_find(&l->hidden, "*") != SIZE_MAX;
  autofree bool *may = xcalloc(l->nblobs + 1, sizeof *may);
  autofree struct step *steps = xcalloc(l->nblobs + 1, sizeof *steps);
  size_t nsteps = 0;
  if (!all && cxx_shared_close(&l->headers))
    find_hiding(n, leads_to_target, may);
  if (!all && l->hidden.texts.n) {
    cxx_shared_lead(&l->headers, &l->hidden.texts);
    find_hiding(n, leads_to_hidden, may);
  }
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (all ? !blob_is_forwarded(b) : !may[i])
      continue;
    steps[nsteps] = link_host_step(l, b->record, true);
    steps[nsteps++].user = b;
  }
  link_run_steps(l, steps, nsteps);
  for (size_t i = 0; i < nsteps; i++) {
    if (!steps[i].status)
      settle_hiding(l, steps[i].user, steps[i].object);
    step_free(&steps[i]);
  }
}

/* ---- all of it ---- */

static void needs_free(struct needs *n) {
  free(n->suspects);
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
  try_suspects(&n);
  try_hiding(&n);
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
    changed |= !blob_is_forwarded(n.suspects[i]);
  needs_free(&n);
  return changed;
}
