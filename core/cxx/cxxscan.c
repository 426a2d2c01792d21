/* cxxscan.c - see cxxscan.h. It works from the outside in: tokens (cxxlex.c); conditional
 * directives removed (cxxarms.c); then one declaration after the other, by its shape (cxxshape.c)
 * and its declarator (cxxdeclarator.c). This file turns a declaration into an item, and the items
 * into a verdict.
 *
 * Nothing is looked up: headers are not read, and a name has no meaning by itself. Nothing is read
 * twice either, because the wrapper scans every source of a build (350 kB of source take 1.4 ms).
 */
#include "cxxarms.h"
#include "cxxdeclarator.h"
#include "cxxstate.h"
#include "core/base/vec.h"

/* ---- items and scopes ---- */

/* nested namespaces and extern "C" blocks; each level is a recursive call */
enum { MAX_NESTING = 200 };

struct scanner {
  struct cxx_scan *s;
  int nesting;
};

static struct cxx_item *item_add(struct scanner *sc, enum cxx_item_kind kind, uint32_t begin,
                                 uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  struct cxx_item *it = vec_add(s->items, s->nitems);
  *it = (struct cxx_item){
      .kind = kind, .begin = begin, .end = end, .scope = scope, .arm = s->arm_of[begin]};
  return it;
}

static int scope_add(struct scanner *sc, int parent, uint32_t name, uint32_t name_end) {
  struct cxx_scan *s = sc->s;
  bool internal = parent >= 0 && (name == name_end || s->scopes[parent].internal);
  vec_push(s->scopes, s->nscopes,
           (struct cxx_scope){
               .parent = parent, .name = name, .name_end = name_end, .internal = internal});
  return (int)s->nscopes - 1;
}

/* IT is KIND, ITEM_EXTERNAL or ITEM_UNKNOWN, because of RULE. Returns KIND. */
static enum cxx_item_kind item_because(struct cxx_item *it, enum cxx_item_kind kind,
                                       enum rule rule) {
  it->rule = rule;
  return it->kind = kind;
}

/* Are tokens BEGIN to END-1 all in the same arm? */
static bool same_arm(const struct cxx_scan *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (s->arm_of[i] != s->arm_of[begin])
      return false;
  return true;
}

/* ---- declarations: each scan_… makes an item from the one that begins at token BEGIN ---- */

/* Has the class of tokens BEGIN to END-1 a static inline member that runs code when the unit is
 * loaded? */
static bool class_runs_code(const struct cxx_scan *s, uint32_t begin, uint32_t end) {
  uint32_t body = begin;
  while (body < end && cxx_punct(&s->code, body) != '{')
    body++;
  for (uint32_t i = body; i < end; i++)
    if (cxx_is(&s->code, i, "inline"))
      return !cxx_is(&s->code, begin, "enum") && cxx_class_runs_code(s, body);
  return false;
}

/* template<> … (SPECIAL) and template R f<…>(…); of a function. SIG: after template<>. */
static void scan_explicit(struct scanner *sc, uint32_t begin, uint32_t sig, struct cxx_shape *d,
                          int scope, bool special) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  struct cxx_item *it = item_add(sc, ITEM_UNKNOWN, begin, d->end, scope);
  it->rule = RULE_DECLARATOR;
  if (d->klass && !d->params) {
    /* template<> struct S<int> {…}; is a type; template struct S<int>; defines its members */
    if (special && !d->after_klass && class_runs_code(s, begin, d->end))
      item_because(it, ITEM_EXTERNAL, RULE_INITIALISER);
    else if (special && !d->after_klass)
      it->kind = ITEM_TYPE;
    else
      item_because(it, ITEM_EXTERNAL, special ? RULE_CLASS_VARIABLE : RULE_EXPLICIT_CLASS);
    return;
  }
  if (!d->params) {
    if (d->is_constexpr || d->is_inline)
      it->kind = ITEM_CONSTANT;
    else
      item_because(it, ITEM_EXTERNAL, RULE_EXPLICIT_VARIABLE);
    return;
  }
  if (special && !d->body) {
    if (d->assign) /* "= delete" and the like, else a declaration */
      item_because(it, ITEM_UNKNOWN, RULE_DELETED);
    else
      it->kind = ITEM_FUNCTION;
    return;
  }
  enum rule rule = s->scopes[scope].internal ? RULE_EXPLICIT_INTERNAL
                   : d->kernel               ? RULE_EXPLICIT_KERNEL
                   : d->device               ? RULE_EXPLICIT_DEVICE
                   : d->op                   ? RULE_EXPLICIT_OPERATOR
                   : d->is_constexpr         ? RULE_EXPLICIT_CONSTEXPR
                                             : RULE_NONE;
  if (rule != RULE_NONE) {
    item_because(it, ITEM_EXTERNAL, rule);
    return;
  }
  if (d->is_inline || d->is_static) {
    it->kind = ITEM_FUNCTION;
    return;
  }
  bool named = cxx_name_before_params(t, sig, d, it);
  if (named && !cxx_plain_declarator(t, sig, d, it))
    return;
  if (!named || it->name <= sig) {
    /* a member, a constructor or a conversion: ckjit does not forward these */
    item_because(it, ITEM_EXTERNAL, RULE_EXPLICIT_MEMBER);
    return;
  }
  it->args_end = d->params;
  it->sig = sig;
  it->params = d->params;
  it->sig_end = d->body ? d->body : d->end - 1;
  for (uint32_t i = d->params_end; i < it->sig_end; i++)
    if (cxx_is(t, i, "try"))
      it->sig_end = i;
  if (!same_arm(s, begin, it->sig_end)) {
    it->rule = RULE_CONDITIONAL;
    return;
  }
  it->rule = RULE_NONE;
  it->kind = special ? ITEM_SPECIALISATION : ITEM_INSTANTIATION;
}

/* using … ; typedef … ; with or without template <…> before it */
static void scan_using(struct scanner *sc, uint32_t begin, uint32_t word, uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  struct cxx_item *it = item_add(sc, ITEM_USING, begin, end, scope);
  if (!same_arm(s, begin, end)) {
    item_because(it, ITEM_UNKNOWN, RULE_CONDITIONAL);
    return;
  }
  if (cxx_is(t, word, "using")) {
    uint32_t eq = word + 2;
    while (eq < end && (cxx_punct(t, eq) == '[' || cxx_takes_group(t, eq)))
      eq = cxx_skip_group(t, cxx_punct(t, eq) == '[' ? eq : eq + 1, end);
    if (!cxx_ident(t, word + 1) || cxx_is(t, word + 1, "namespace") || cxx_punct(t, eq) != '=')
      return;
    it->kind = ITEM_ALIAS;
    cxx_name_single(it, word + 1);
    return;
  }
  it->kind = ITEM_ALIAS;
  cxx_name_typedef(t, word, end, it);
  if (!it->name)
    item_because(it, ITEM_UNKNOWN, RULE_DECLARATOR);
}

/* IT is a function or a template of functions: note a kernel that is declared only. aiter's
 * opus_gemm has units that launch such kernels, whose host stubs are in sibling units. */
static void note_kernel(struct cxx_item *it, const struct cxx_shape *d, bool internal) {
  if (d->kernel && !d->body && !internal)
    it->rule = RULE_FOREIGN_KERNEL;
}

/* A class, struct, union or enum, declared or defined. */
static enum cxx_item_kind plain_class(const struct cxx_scan *s, const struct cxx_shape *d,
                                      struct cxx_item *it, bool internal) {
  const struct cxx_text *t = &s->code;
  for (uint32_t i = it->begin; i < d->end && cxx_punct(t, i) != '{'; i++)
    if (cxx_ident(t, i) && (cxx_punct(t, i + 1) == '{' || cxx_punct(t, i + 1) == ':' ||
                            cxx_punct(t, i + 1) == ';' || cxx_is(t, i + 1, "final"))) {
      cxx_name_single(it, i);
      break;
    }
  if (!it->name && !cxx_is(t, it->begin, "enum") && !d->after_klass)
    return item_because(it, ITEM_UNKNOWN, RULE_DECLARATOR);
  if (d->after_klass && d->end > 3 && cxx_is(t, d->end - 3, "typedef")) /* struct {…} typedef s; */
    return ITEM_TYPE;
  if (d->after_klass && d->is_constexpr)
    return ITEM_VARIABLE;
  if (d->after_klass && !internal)
    return item_because(it, ITEM_EXTERNAL, RULE_CLASS_VARIABLE);
  if (d->after_klass ? !cxx_state_is_harmless(s, it->begin, it->end)
                     : class_runs_code(s, it->begin, it->end))
    return item_because(it, ITEM_EXTERNAL, RULE_INITIALISER);
  return d->after_klass ? ITEM_VARIABLE : ITEM_TYPE;
}

bool cxx_says_runs(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {"constructor", "destructor", "__constructor__",
                                      "__destructor__"};
  return CXX_ONE_OF(t, i, words);
}

/* Does an attribute make it a function that runs when it is loaded or unloaded? */
static bool runs_by_itself(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (cxx_says_runs(t, i) && !cxx_is(t, i - 1, "::") && i > begin &&
        (cxx_punct(t, i - 1) == '(' || cxx_punct(t, i - 1) == ','))
      return true;
    else if (cxx_says_runs(t, i) && i > begin + 1 && cxx_is(t, i - 1, "::") &&
             cxx_is(t, i - 2, "gnu"))
      return true;
  return false;
}

static enum cxx_item_kind plain_function(const struct cxx_scan *s, const struct cxx_shape *d,
                                         struct cxx_item *it, bool internal) {
  const struct cxx_text *t = &s->code;
  if (runs_by_itself(t, it->begin, d->body ? d->body : d->end))
    return item_because(it, ITEM_EXTERNAL, RULE_INITIALISER);
  bool named = cxx_name_before_params(t, it->begin, d, it);
  bool constructor = named && d->body && cxx_names_constructor(t, it);
  if (!d->op && (!named || it->name == it->begin) && !constructor)
    /* no name, or nothing before it: MACRO(…); and MACRO(…) {…} could be anything */
    return item_because(it, ITEM_UNKNOWN, RULE_MACRO);
  note_kernel(it, d, internal);
  if (!d->body && cxx_declares_function(t, it->begin, d, it))
    return ITEM_FUNCTION;
  if (!d->body) /* static std::vector<int> sizes(10); */
    return internal && cxx_state_is_harmless(s, it->begin, it->end)
               ? ITEM_VARIABLE
               : item_because(it, ITEM_UNKNOWN, RULE_DECLARATOR);
  return internal || d->is_inline || d->is_constexpr
             ? ITEM_FUNCTION
             : item_because(it, ITEM_EXTERNAL, RULE_FUNCTION);
}

static enum cxx_item_kind plain_variable(const struct cxx_scan *s, const struct cxx_shape *d,
                                         struct cxx_item *it, bool internal) {
  const struct cxx_text *t = &s->code;
  cxx_name_variable(t, d, it);
  uint32_t name = it->name ? it->name : d->end - 1;
  if (d->is_extern && !d->assign && cxx_punct(t, name + 1) != '{')
    return ITEM_FUNCTION; /* a declaration */
  if (d->is_constexpr)
    return ITEM_CONSTANT;
  bool own = !d->is_extern && (internal || cxx_const_itself(t, d, name));
  if (own && d->is_const && !cxx_has_effects(t, d, it->begin, name))
    return ITEM_CONSTANT;
  /* State of internal linkage belongs to the blob wherever the blob is loaded, like a static
   * variable in a function. */
  if (own && it->name && cxx_state_is_harmless(s, it->begin, it->end))
    return ITEM_VARIABLE;
  /* a thread-local one is made when a thread first uses it */
  it->quiet = !own && (cxx_head_says(s, it, "thread_local") ||
                       cxx_state_is_harmless(s, it->begin, it->end));
  return item_because(it, ITEM_EXTERNAL, own ? RULE_INITIALISER : RULE_VARIABLE);
}

/* A declaration that is neither a template nor made from one. */
static void scan_plain(struct scanner *sc, uint32_t begin, struct cxx_shape *d, int scope) {
  struct cxx_scan *s = sc->s;
  struct cxx_item *it = item_add(sc, ITEM_EXTERNAL, begin, d->end, scope);
  bool internal = s->scopes[scope].internal || d->is_static;
  if (d->params && d->assign &&
      cxx_is(&s->code, d->assign + 1, "default")) { /* a::a() = default; */
    d->body = d->assign;
    d->assign = 0;
  }
  if (d->klass && !d->params && !d->assign)
    it->kind = plain_class(s, d, it, internal);
  else if (d->params && !d->assign)
    it->kind = plain_function(s, d, it, internal);
  else
    it->kind = plain_variable(s, d, it, internal);
}

static uint32_t scan_template(struct scanner *sc, uint32_t begin, uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  uint32_t i = begin + 1;
  bool special = false, primary = false;
  while (cxx_punct(t, i) == '<') {
    uint32_t behind = cxx_skip_angles(t, i, end);
    if (!behind)
      return 0;
    special |= behind == i + 2;
    primary |= behind != i + 2;
    i = behind;
    if (cxx_is(t, i, "template") && cxx_punct(t, i + 1) == '<')
      i++;
  }
  struct cxx_shape d;
  if (!cxx_shape_read(t, i, end, &d))
    return 0;
  if (cxx_is(t, i, "using")) {
    scan_using(sc, begin, i, d.end, scope);
    return d.end;
  }
  if (!primary) {
    scan_explicit(sc, begin, i, &d, scope, special);
    return d.end;
  }
  struct cxx_item *it = item_add(sc, ITEM_TEMPLATE, begin, d.end, scope);
  if (d.params && !d.assign) {
    cxx_name_before_params(t, i, &d, it);
    note_kernel(it, &d, s->scopes[scope].internal || d.is_static);
  } else if (d.klass) {
    for (uint32_t k = i; k < d.end; k++)
      if (cxx_ident(t, k) && (cxx_punct(t, k + 1) == '{' || cxx_punct(t, k + 1) == ';' ||
                              cxx_punct(t, k + 1) == '<' || cxx_punct(t, k + 1) == ':')) {
        cxx_name_single(it, k);
        break;
      }
  } else {
    cxx_name_variable(t, &d, it);
  }
  return d.end;
}

static uint32_t scan_scope(struct scanner *sc, uint32_t i, uint32_t end, int scope);

/* namespace A::B [[…]] {…}, namespace {…}, inline namespace N {…}, namespace N = A::B;
 * extern "C" {…}: declarations in the block are harmless, a definition is external; scanning the
 * inside decides. */
static uint32_t scan_opening(struct scanner *sc, uint32_t begin, uint32_t end, int scope) {
  const struct cxx_text *t = &sc->s->code;
  struct cxx_opening o;
  struct cxx_shape d;
  if (!cxx_opens(t, begin, &o)) {
    if (cxx_punct(t, o.name_end) != '=' || !cxx_shape_read(t, begin, end, &d))
      return 0;
    cxx_name_single(item_add(sc, ITEM_USING, begin, d.end, scope), o.name);
    return d.end;
  }
  uint32_t behind = cxx_skip_group(t, o.body - 1, end);
  if (behind <= o.body || (!o.group && cxx_punct(t, behind - 1) != '}'))
    return 0;
  if (!o.group) {
    scope = scope_add(sc, scope, o.name, o.name_end);
    sc->s->scopes[scope].is_inline = o.is_inline;
  }
  return scan_scope(sc, o.body, behind - 1, scope) ? behind : 0;
}

static uint32_t scan_directive(struct scanner *sc, uint32_t i, int scope) {
  const struct cxx_text *t = &sc->s->code;
  size_t n;
  const char *w = cxx_directive(t, &t->toks[i], &n);
  enum cxx_item_kind kind = cxx_word_is(w, n, "include") || cxx_word_is(w, n, "include_next") ||
                                    cxx_word_is(w, n, "import")
                                ? ITEM_INCLUDE
                            : cxx_word_is(w, n, "define") || cxx_word_is(w, n, "undef")
                                ? ITEM_DEFINE
                                : ITEM_DIRECTIVE;
  item_add(sc, kind, i, i + 1, scope);
  return i + 1;
}

/* Does another declaration begin within BEGIN to END-1? `CLOSE namespace a { … } static int const n
 * = 29;`: the macro has closed a namespace, and what looks like one constant holds the
 * instantiations in `a`. */
static bool holds_another(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++) {
    if (cxx_is(t, i, "namespace") || cxx_is(t, i, "using") ||
        (cxx_is(t, i, "extern") && i + 1 < end && t->toks[i + 1].kind == TOK_STRING))
      return true;
    if (cxx_punct(t, i) == '(' || cxx_punct(t, i) == '[' || cxx_punct(t, i) == '{')
      i = cxx_skip_group(t, i, end) - 1;
  }
  return false;
}

/* Scan one declaration at I. Returns the index after it, 0 if it was not understood. */
static uint32_t scan_declaration(struct scanner *sc, uint32_t i, uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  if (t->toks[i].kind == TOK_DIRECTIVE)
    return scan_directive(sc, i, scope);
  if (cxx_punct(t, i) == ';')
    return i + 1;
  if (cxx_is(t, i, "namespace") || (cxx_is(t, i, "inline") && cxx_is(t, i + 1, "namespace")) ||
      (cxx_is(t, i, "extern") && t->toks[i + 1].kind == TOK_STRING && cxx_punct(t, i + 2) == '{'))
    return scan_opening(sc, i, end, scope);
  if (cxx_is(t, i, "extern") && cxx_is(t, i + 1, "template")) {
    struct cxx_shape d;
    if (!cxx_shape_read(t, i, end, &d))
      return 0;
    note_kernel(item_add(sc, ITEM_FUNCTION, i, d.end, scope), &d, false);
    return d.end;
  }
  if (cxx_is(t, i, "template"))
    return scan_template(sc, i, end, scope);
  struct cxx_shape d;
  if (!cxx_shape_read(t, i, end, &d))
    return 0;
  if (cxx_is(t, i, "using") || cxx_is(t, i, "typedef"))
    scan_using(sc, i, i, d.end, scope);
  else if (cxx_is(t, i, "static_assert") || cxx_is(t, i, "_Static_assert"))
    item_add(sc, ITEM_FUNCTION, i, d.end, scope);
  else if (cxx_is(t, i, "asm") || cxx_is(t, i, "__asm__"))
    item_because(item_add(sc, ITEM_EXTERNAL, i, d.end, scope), ITEM_EXTERNAL, RULE_ASM);
  else if (holds_another(t, i, d.end))
    return 0;
  else
    scan_plain(sc, i, &d, scope);
  return d.end;
}

static uint32_t scan_scope(struct scanner *sc, uint32_t i, uint32_t end, int scope) {
  if (++sc->nesting > MAX_NESTING) {
    sc->s->odd = "namespaces are nested too deep";
    sc->s->odd_line = sc->s->code.toks[i].line;
    return 0;
  }
  while (i < end) {
    uint32_t next = scan_declaration(sc, i, end, scope);
    if (next <= i || next > end) {
      /* and no ; follows */
      bool call = cxx_ident(&sc->s->code, i) && cxx_punct(&sc->s->code, i + 1) == '(';
      item_because(item_add(sc, ITEM_UNKNOWN, i, end, scope), ITEM_UNKNOWN,
                   call ? RULE_MACRO : RULE_NOT_READ);
      if (!sc->s->odd) {
        sc->s->odd = "a declaration that ckjit cannot parse";
        sc->s->odd_line = sc->s->code.toks[i].line;
      }
      return 0;
    }
    i = next;
  }
  sc->nesting--;
  return end + 1;
}

void cxx_scan(struct cxx_scan *s, const char *text, size_t len) {
  cxx_scan_with(s, text, len, NULL);
}

void cxx_scan_with(struct cxx_scan *s, const char *text, size_t len, const struct argv *harmless) {
  *s = (struct cxx_scan){.harmless = harmless};
  bool whole = cxx_lex(&s->code, text, len);
  cxx_arms_split(s);
  if (!whole) {
    s->odd_line = s->code.toks[s->code.n].line;
    s->odd = "a comment or string that does not end, or a line splice within a word";
  }
  struct scanner sc = {.s = s};
  scope_add(&sc, -1, 0, 0);
  scan_scope(&sc, 0, s->code.n, 0);
}

void cxx_scan_free(struct cxx_scan *s) {
  cxx_text_free(&s->code);
  free(s->arm_of);
  free(s->items);
  free(s->scopes);
  free(s->arms);
  *s = (struct cxx_scan){0};
}

/* ---- the verdict ---- */

/* Compares the last component only: `a::f` and `f` may be one function. */
static bool same_name(const struct cxx_scan *s, const struct cxx_item *a,
                      const struct cxx_item *b) {
  const struct cxx_tok *last = &s->code.toks[a->name_end - 1];
  return b->name_end > b->name &&
         cxx_is_n(&s->code, b->name_end - 1, s->code.text + last->at, last->len);
}

/* Does the file itself declare a template of this name? Then no other file can know it. OWN: the
 * items that are templates. */
static bool declares(const struct cxx_scan *s, const struct cxx_item *it, const size_t *own,
                     size_t n) {
  for (size_t i = 0; i < n; i++)
    if (same_name(s, it, &s->items[own[i]]))
      return true;
  return false;
}

/* A kernel that the file declares and does not define; NULL if there is none. */
static const struct cxx_item *foreign_kernel(const struct cxx_scan *s, const size_t *own,
                                             size_t n) {
  for (size_t i = 0; i < s->nitems; i++) {
    const struct cxx_item *it = &s->items[i];
    bool foreign = it->rule == RULE_FOREIGN_KERNEL;
    for (size_t k = 0; k < n && foreign && it->name_end > it->name; k++)
      foreign =
          s->items[own[k]].rule == RULE_FOREIGN_KERNEL || !same_name(s, it, &s->items[own[k]]);
    if (foreign)
      return it;
  }
  return NULL;
}

void cxx_scan_show(const struct cxx_scan *s, const struct cxx_item *it, struct reason *why) {
  enum { SHOWN = REASON_TEXT / 2 }; /* tokens: more are cut anyway */
  const struct cxx_text *t = &s->code;
  uint32_t end = it->end - it->begin > SHOWN ? it->begin + SHOWN : it->end, stop = it->begin;
  while (stop < end && cxx_punct(t, stop) != '{' && cxx_punct(t, stop) != ';')
    stop++;
  autofree_buf text = {0};
  cxx_render(t, it->begin, stop > it->begin ? stop : end, &text);
  reason_text(why, text.data ? text.data : "", text.len);
  why->line = t->toks[it->begin].line;
}

/* Notes the reason for the verdict: the first item of KIND, or nothing. */
static void because_of(const struct cxx_scan *s, enum cxx_item_kind kind, struct reason *why) {
  for (size_t i = 0; i < s->nitems; i++)
    if (s->items[i].kind == kind) {
      why->rule = s->items[i].rule;
      cxx_scan_show(s, &s->items[i], why);
      return;
    }
}

/* Why the text leaves a doubt: it was not read, or something in it is unclear, or there is
 * nothing. */
static void because_unsure(const struct cxx_scan *s, struct reason *why) {
  *why = (struct reason){.rule = RULE_NOTHING};
  because_of(s, ITEM_UNKNOWN, why);
  if (s->odd && why->line != s->odd_line) {
    *why = (struct reason){.rule = RULE_NOT_READ, .line = s->odd_line};
    reason_text(why, s->odd, strlen(s->odd));
  }
}

enum cxx_verdict cxx_scan_verdict(const struct cxx_scan *s, struct reason *why) {
  bool unknown = s->odd != NULL, host = false;
  size_t nown = 0, nours = 0;
  autofree size_t *own = xmalloc((s->nitems + 1) * sizeof *own),
                  *ours = xmalloc((s->nitems + 1) * sizeof *ours);
  for (size_t i = 0; i < s->nitems; i++) {
    enum cxx_item_kind kind = s->items[i].kind;
    host |= kind == ITEM_EXTERNAL;
    unknown |= kind == ITEM_UNKNOWN;
    if (kind == ITEM_TEMPLATE)
      own[nown++] = i;
    if (kind == ITEM_SPECIALISATION || kind == ITEM_INSTANTIATION || kind == ITEM_NAMESAKE)
      ours[nours++] = i;
  }
  struct reason ignored, *r = why ? why : &ignored;
  *r = (struct reason){
      .rule = nours && s->items[*ours].kind == ITEM_NAMESAKE ? RULE_NAMESAKE : RULE_SPECIALISATIONS,
      .line = nours ? s->code.toks[s->items[*ours].begin].line : 0};
  if (host)
    because_of(s, ITEM_EXTERNAL, r);
  /* equal names come in runs: check once per run */
  for (size_t i = 0; i < nours && !host && !unknown; i++)
    if (!i || !same_name(s, &s->items[ours[i]], &s->items[ours[i - 1]])) {
      host = declares(s, &s->items[ours[i]], own, nown);
      if (host) {
        r->rule = RULE_OWN_TEMPLATE;
        cxx_scan_show(s, &s->items[ours[i]], r);
      }
    }
  const struct cxx_item *kernel = nours && !host && !unknown ? foreign_kernel(s, own, nown) : NULL;
  if (kernel) {
    host = true;
    r->rule = RULE_FOREIGN_KERNEL;
    cxx_scan_show(s, kernel, r);
  }
  if (!host && (unknown || !nours))
    because_unsure(s, r);
  return host ? CXX_HOST : nours && !unknown ? CXX_BLOB : CXX_UNSURE;
}
