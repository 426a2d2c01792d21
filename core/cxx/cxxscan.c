#include "cxxscan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditional directives -------------------------------------------------------------------------------
 */

/* the word behind # of directive token K: "if", "include" … */
static const char *directive_word(const struct cxx_text *t, const struct cxx_tok *k, size_t *n) {
  const char *p = t->text + k->at + 1, *end = t->text + k->at + k->len;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  const char *q = p;
  while (q < end && isalpha((unsigned char)*q))
    q++;
  *n = (size_t)(q - p);
  return p;
}

static bool word_is(const char *w, size_t n, const char *s) {
  return strlen(s) == n && memcmp(w, s, n) == 0;
}

/* Only a literal 0 or 1 is decided here; everything else is kept with its condition. -1: not known. */
static int literal_condition(const struct cxx_text *t, const struct cxx_tok *k, const char *word, size_t n) {
  const char *p = word + n, *end = t->text + k->at + k->len;
  while (p < end && isspace((unsigned char)*p))
    p++;
  if (p == end || (*p != '0' && *p != '1'))
    return -1;
  int value = *p++ - '0';
  while (p < end && isspace((unsigned char)*p))
    p++;
  return p == end || *p == '/' ? value : -1;
}

struct open_if {
  int outer;       /* the arm around */
  int outer_depth; /* brackets open at #if */
  int first_depth; /* brackets open at the end of the first arm; INT32_MIN: not ended yet */
  bool dead_outer; /* all of it is dead */
  bool taken;      /* an arm with a literal 1 was seen: the rest is dead */
  bool guard;      /* an include guard: transparent */
};

/* The tokens of code replace those of the whole text in place: at most as many were written as were read. */
struct splitter {
  struct cxx_scan *s;
  uint32_t n_text;
  struct open_if *stack;
  size_t n, cap;
  int arm, depth;
  bool dead;
  size_t arm_cap;
};

enum {
  MAX_ARMS = 5000,
  MAX_IFS = 200
}; /* beyond them, walking from arm to arm would cost more than a compile */

static int arm_add(struct splitter *sp, int parent, int before, const struct cxx_tok *k) {
  struct cxx_scan *s = sp->s;
  if (s->narms > MAX_ARMS || sp->n > MAX_IFS) {
    s->odd = "conditional directives are too many, or nested too deep";
    return parent < 0 ? 0 : parent;
  }
  if (s->narms == sp->arm_cap) {
    sp->arm_cap = sp->arm_cap ? sp->arm_cap * 2 : 8;
    s->arms = xrealloc(s->arms, sp->arm_cap * sizeof *s->arms);
  }
  s->arms[s->narms] = (struct cxx_arm){parent, before, k ? k->at : 0, k ? k->len : 0};
  return (int)s->narms++;
}

/* the word behind the directive's own: the macro of #ifndef and #define */
static const char *directive_macro(const struct cxx_text *t, const struct cxx_tok *k, size_t *n) {
  const char *p = directive_word(t, k, n) + *n, *end = t->text + k->at + k->len;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  const char *q = p;
  while (q < end && (isalnum((unsigned char)*q) || *q == '_'))
    q++;
  *n = (size_t)(q - p);
  return p;
}

/* #ifndef X directly before #define X, first in the file: around a whole file it says nothing about its
 * content */
static bool is_guard(const struct splitter *sp, uint32_t i) {
  const struct cxx_text *t = &sp->s->code;
  if (sp->n || i + 1 >= sp->n_text || t->n || t->toks[i + 1].kind != TOK_DIRECTIVE)
    return false;
  size_t n, m;
  const char *a = directive_word(t, &t->toks[i], &n), *b = directive_word(t, &t->toks[i + 1], &m);
  if (!word_is(a, n, "ifndef") || !word_is(b, m, "define"))
    return false;
  a = directive_macro(t, &t->toks[i], &n);
  b = directive_macro(t, &t->toks[i + 1], &m);
  return n && n == m && memcmp(a, b, n) == 0;
}

static void split_if(struct splitter *sp, uint32_t i, const char *word, size_t n) {
  const struct cxx_tok *k = &sp->s->code.toks[i];
  if (sp->n == sp->cap) {
    sp->cap = sp->cap ? sp->cap * 2 : 8;
    sp->stack = xrealloc(sp->stack, sp->cap * sizeof *sp->stack);
  }
  int value = word_is(word, n, "if") ? literal_condition(&sp->s->code, k, word, n) : -1;
  bool guard = is_guard(sp, i);
  sp->stack[sp->n++] = (struct open_if){sp->arm, sp->depth, INT32_MIN, sp->dead, value == 1, guard};
  sp->dead = sp->dead || value == 0;
  if (!sp->dead && !guard)
    sp->arm = arm_add(sp, sp->arm, -1, k);
}

/* An arm ends: brackets must be as open as at the end of the other arms, or the file cannot be read as a list
 * of arms. */
static void arm_end(struct splitter *sp, struct open_if *o) {
  if (!sp->dead) {
    if (o->first_depth == INT32_MIN)
      o->first_depth = sp->depth;
    else if (o->first_depth != sp->depth)
      sp->s->odd = "conditional directives split a bracket";
  }
}

static void split_else(struct splitter *sp, uint32_t i, const char *word, size_t n) {
  if (!sp->n) {
    sp->s->odd = "#else without #if";
    return;
  }
  struct open_if *o = &sp->stack[sp->n - 1];
  const struct cxx_tok *k = &sp->s->code.toks[i];
  if (o->guard)
    sp->s->odd = "an include guard with an #else";
  arm_end(sp, o);
  sp->depth = o->outer_depth;
  int value = word_is(word, n, "elif") ? literal_condition(&sp->s->code, k, word, n) : -1;
  bool was_dead = sp->dead;
  sp->dead = o->dead_outer || o->taken || value == 0;
  if (value == 1)
    o->taken = true;
  if (sp->dead)
    return;
  /* Behind a dead `#if 0` the chain starts here: its directive would be an #elif without #if, so the arm is
   * the enclosing one for a plain #else and not representable for an #elif. */
  if (was_dead && sp->arm == o->outer) {
    if (word_is(word, n, "else"))
      return;
    sp->s->odd = "#elif behind #if 0";
    return;
  }
  sp->arm = arm_add(sp, o->outer, sp->arm, k);
}

static void split_endif(struct splitter *sp) {
  if (!sp->n) {
    sp->s->odd = "#endif without #if";
    return;
  }
  struct open_if *o = &sp->stack[--sp->n];
  arm_end(sp, o);
  if (o->first_depth != INT32_MIN && o->first_depth != o->outer_depth && !o->guard)
    /* `#if A  void f() {  #endif` opens more than it closes */
    sp->s->odd = "conditional directives split a bracket";
  sp->depth = o->first_depth == INT32_MIN ? o->outer_depth : o->first_depth;
  sp->arm = o->outer;
  sp->dead = o->dead_outer;
}

/* true where token I was a conditional directive, which is then not code */
static bool split_conditional(struct splitter *sp, uint32_t i) {
  size_t n;
  const char *w = directive_word(&sp->s->code, &sp->s->code.toks[i], &n);
  if (word_is(w, n, "if") || word_is(w, n, "ifdef") || word_is(w, n, "ifndef"))
    split_if(sp, i, w, n);
  else if (word_is(w, n, "else") || word_is(w, n, "elif") || word_is(w, n, "elifdef") ||
           word_is(w, n, "elifndef"))
    split_else(sp, i, w, n);
  else if (word_is(w, n, "endif"))
    split_endif(sp);
  else
    return false;
  return true;
}

/* leave in code what is code, and say in arm_of under which conditions */
static void split(struct cxx_scan *s) {
  struct splitter sp = {.s = s, .n_text = s->code.n};
  arm_add(&sp, -1, -1, NULL);
  s->arm_of = xcalloc(sp.n_text + 1, sizeof *s->arm_of);
  struct cxx_tok end = s->code.toks[sp.n_text];
  s->code.n = 0;
  for (uint32_t i = 0; i < sp.n_text; i++) {
    const struct cxx_tok *k = &s->code.toks[i];
    if (k->kind == TOK_DIRECTIVE && split_conditional(&sp, i))
      continue;
    if (sp.dead)
      continue;
    if (k->kind == TOK_PUNCT && k->len == 1) {
      char c = s->code.text[k->at];
      sp.depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (sp.depth < 0)
        s->odd = "a bracket closes that was not open";
    }
    if (sp.arm)
      s->arm_of[s->code.n] = sp.arm;
    s->code.toks[s->code.n++] = *k;
  }
  s->code.toks[s->code.n] = end;
  if (sp.n)
    s->odd = "#if without #endif";
  else if (sp.depth > 0)
    s->odd = "a bracket that does not close";
  free(sp.stack);
}

/* ---- declarations
 * ------------------------------------------------------------------------------------------ */

enum {
  MAX_NESTING = 200
}; /* of namespaces and extern "C" blocks: the scan of each is a call within a call */

struct scanner {
  struct cxx_scan *s;
  int nesting;
  size_t item_cap, scope_cap;
};

static struct cxx_item *item_add(struct scanner *sc, enum cxx_item_kind kind, uint32_t begin, uint32_t end,
                                 int scope) {
  struct cxx_scan *s = sc->s;
  if (s->nitems == sc->item_cap) {
    sc->item_cap = sc->item_cap ? sc->item_cap * 2 : 32;
    s->items = xrealloc(s->items, sc->item_cap * sizeof *s->items);
  }
  struct cxx_item *it = &s->items[s->nitems++];
  *it = (struct cxx_item){.kind = kind, .begin = begin, .end = end, .scope = scope, .arm = s->arm_of[begin]};
  return it;
}

static int scope_add(struct scanner *sc, int parent, uint32_t name, uint32_t name_end) {
  struct cxx_scan *s = sc->s;
  if (s->nscopes == sc->scope_cap) {
    sc->scope_cap = sc->scope_cap ? sc->scope_cap * 2 : 8;
    s->scopes = xrealloc(s->scopes, sc->scope_cap * sizeof *s->scopes);
  }
  bool internal = parent >= 0 && (name == name_end || s->scopes[parent].internal);
  s->scopes[s->nscopes] =
      (struct cxx_scope){.parent = parent, .name = name, .name_end = name_end, .internal = internal};
  return (int)s->nscopes++;
}

static bool ident(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_IDENT;
}

/* Is token I one of WORDS? They differ mostly in length and first letter, which is quick to see. */
static bool one_of(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n) {
  if (!ident(t, i))
    return false;
  const char *p = t->text + t->toks[i].at;
  size_t len = t->toks[i].len;
  for (size_t w = 0; w < n; w++)
    if (words[w][0] == *p && strlen(words[w]) == len && memcmp(words[w], p, len) == 0)
      return true;
  return false;
}
#define ONE_OF(t, i, words) one_of(t, i, words, sizeof(words) / sizeof *(words))

/* attribute-like words whose parentheses are no parameter list */
static bool takes_group(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "__attribute__",     "__attribute", "decltype",   "alignas",  "__declspec", "noexcept", "explicit",
      "__launch_bounds__", "typeof",      "__typeof__", "requires", "throw",      "asm",      "__asm__"};
  return ONE_OF(t, i, words);
}

/* words of types that no class has: what is declared with them runs no constructor */
static bool builtin(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "bool",     "char",    "short",   "int",     "long",     "float",    "double",   "signed",
      "unsigned", "void",    "wchar_t", "char8_t", "char16_t", "char32_t", "size_t",   "int8_t",
      "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ptrdiff_t"};
  return ONE_OF(t, i, words);
}

static bool qualifier(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {"const", "volatile", "typename", "struct",
                                      "class", "enum",     "union",    "auto"};
  return ONE_OF(t, i, words);
}

/* What a declaration is made of, as far as linkage needs it. */
struct shape {
  uint32_t end;    /* behind ; or the body */
  uint32_t params; /* "(" of the parameter list; 0: none */
  uint32_t params_end;
  uint32_t body;     /* "{" of a function body; 0: none */
  uint32_t assign;   /* "=" of an initialiser; 0: none */
  bool klass;        /* class, struct, union, enum at the top */
  bool klass_body;   /* and it is defined here */
  bool after_klass;  /* declares something behind the class body */
  uint32_t is_const; /* the last const, its index + 1; 0: none */
  bool is_static, is_inline, is_constexpr, is_extern, kernel, device, op;
};

static void note_specifier(const struct cxx_text *t, uint32_t i, struct shape *d) {
  switch (t->text[t->toks[i].at]) {
  case 's':
    d->is_static |= cxx_is(t, i, "static");
    d->klass |= cxx_is(t, i, "struct");
    break;
  case 'i':
    d->is_inline |= cxx_is(t, i, "inline");
    break;
  case 'c':
    d->is_constexpr |= cxx_is(t, i, "constexpr") || cxx_is(t, i, "consteval");
    d->klass |= cxx_is(t, i, "class");
    if (cxx_is(t, i, "const"))
      d->is_const = i + 1;
    break;
  case 'e':
    d->is_extern |= cxx_is(t, i, "extern");
    d->klass |= cxx_is(t, i, "enum");
    break;
  case 'u':
    d->klass |= cxx_is(t, i, "union");
    break;
  case '_':
    d->is_inline |= cxx_is(t, i, "__inline__") || cxx_is(t, i, "__forceinline__");
    d->kernel |= cxx_is(t, i, "__global__");
    d->device |= cxx_is(t, i, "__device__");
    break;
  }
}

/* Is the { at I the body of a function? Before it stands a parameter list and nothing that starts an
 * initialiser. */
static bool closes_declaration(const struct cxx_text *t, uint32_t behind) {
  return !(cxx_punct(t, behind) == ';' || cxx_punct(t, behind) == ',' || cxx_is(t, behind, "catch"));
}

/* find the end of the declaration at I and its parts; false where it does not end */
static bool shape_read(const struct cxx_text *t, uint32_t i, uint32_t end, struct shape *d) {
  *d = (struct shape){0};
  bool comparison =
      false; /* a < that is no list's: the others are not looked at, each would read to the end */
  for (uint32_t begin = i; i < end;) {
    char c = cxx_punct(t, i);
    if (c == ';') {
      d->end = i + 1;
      return true;
    }
    if (c == '}' || c == ')' || c == ']')
      return false;
    if (t->toks[i].kind == TOK_IDENT && !d->params && !d->assign) {
      note_specifier(t, i, d);
      if (cxx_is(t, i, "operator")) {
        d->op = true;
        for (i++; i < end && cxx_punct(t, i) != '('; i++)
          ;
        if (cxx_punct(t, i) == '(' && cxx_punct(t, i + 1) == ')' && cxx_punct(t, i + 2) == '(')
          i += 2;
        continue;
      }
      if (takes_group(t, i) && cxx_punct(t, i + 1) == '(') {
        i = cxx_skip_group(t, i + 1, end);
        continue;
      }
    }
    if (c == '[') {
      i = cxx_skip_group(t, i, end);
      continue;
    }
    if (c == '<' && i > begin && t->toks[i - 1].kind == TOK_IDENT && !d->assign && !comparison) {
      uint32_t behind = cxx_skip_angles(t, i, end);
      if (behind) {
        i = behind;
        continue;
      }
      comparison = true;
    }
    if (c == '=' && !d->assign)
      d->assign = i;
    if (c == '(') {
      uint32_t behind = cxx_skip_group(t, i, end);
      if (!d->params && !d->assign && !d->klass_body) {
        d->params = i;
        d->params_end = behind;
      }
      i = behind;
      continue;
    }
    if (c == '{') {
      uint32_t behind = cxx_skip_group(t, i, end);
      if (d->klass && !d->params && !d->assign) {
        d->klass_body = true;
        d->after_klass = cxx_punct(t, behind) != ';';
      } else if (d->params && !d->assign && !d->klass_body) {
        if (!d->body)
          d->body = i;
        if (closes_declaration(t, behind)) {
          d->end = behind;
          return true;
        }
        if (cxx_punct(t, behind) == ';') { /* void f() {}; */
          d->end = behind + 1;
          return true;
        }
      }
      i = behind;
      continue;
    }
    i++;
  }
  return false;
}

/* the name before the parameter list: ident, qualified or not, with or without <…>; false where there is none
 */
static bool name_before_params(const struct cxx_text *t, uint32_t sig, struct shape *d, struct cxx_item *it) {
  uint32_t p = d->params;
  it->args = it->args_end = p;
  if (p > sig && cxx_punct(t, p - 1) == '>') {
    /* walk back to the < of the argument list */
    uint32_t k = p - 1;
    int depth = 0;
    for (;; k--) {
      char c = cxx_punct(t, k);
      if (c == ')' || c == ']' || c == '}') {
        char open = c == ')' ? '(' : c == ']' ? '[' : '{';
        int nest = 0;
        for (; k > sig; k--) {
          nest += (cxx_punct(t, k) == c) - (cxx_punct(t, k) == open);
          if (!nest)
            break;
        }
      } else if (c == '>') {
        depth++;
      } else if (c == '<' && --depth == 0) {
        break;
      }
      if (k <= sig)
        return false;
    }
    it->args = k;
    p = k;
  }
  if (p <= sig || !ident(t, p - 1))
    return false;
  it->name_end = p;
  it->name = p - 1;
  while (it->name >= sig + 2 && cxx_is(t, it->name - 1, "::") && ident(t, it->name - 2) &&
         !builtin(t, it->name - 2)) /* void ::f<int>() */
    it->name -= 2;
  if (it->name > sig && cxx_is(t, it->name - 1, "::")) {
    if (it->name > sig + 1 && cxx_punct(t, it->name - 2) == '>')
      return false; /* a member of a class template's specialisation */
    it->name--;
  }
  return true;
}

/* Is the parameter list what its place says? `NAME(fwd)<t>(args a) {…}` and `API(float) f<t>(args a) {…}`
 * begin with a macro's arguments; in `f<n < 3>(…)` the list does not begin where it seems to. */
static bool plain_declarator(const struct cxx_text *t, uint32_t sig, const struct shape *d,
                             const struct cxx_item *it) {
  static const char *const words[] = {"const",    "volatile", "noexcept",     "try",
                                      "requires", "throw",    "__attribute__"};
  uint32_t i = d->params_end;
  char c = cxx_punct(t, i);
  if (c == '<' || c == '(' || (ident(t, i) && !ONE_OF(t, i, words) && cxx_punct(t, i + 1) != '{'))
    return false;
  for (i = sig; i < it->name;) {
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->name) : i + 1;
    if (!behind)
      return false;
    i = behind;
  }
  return true;
}

static bool same_arm(const struct cxx_scan *s, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (s->arm_of[i] != s->arm_of[begin])
      return false;
  return true;
}

/* template<> … and template R f<…>(…); of a function */
static void scan_explicit(struct scanner *sc, uint32_t begin, uint32_t sig, struct shape *d, int scope,
                          bool special) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  struct cxx_item *it = item_add(sc, ITEM_UNKNOWN, begin, d->end, scope);
  if (d->klass && !d->params) {
    /* template<> struct S<int> {…}; is a type, template struct S<int>; defines its members */
    it->kind = !special ? ITEM_EXTERNAL : d->after_klass ? ITEM_EXTERNAL : ITEM_TYPE;
    return;
  }
  if (!d->params) {
    it->kind = d->is_constexpr || d->is_inline ? ITEM_CONSTANT : ITEM_EXTERNAL;
    return;
  }
  if (special && !d->body) {
    it->kind = d->assign ? ITEM_UNKNOWN : ITEM_FUNCTION; /* "= delete" and friends; else a declaration */
    return;
  }
  if (s->scopes[scope].internal || d->kernel || d->device || d->op || d->is_constexpr) {
    it->kind = ITEM_EXTERNAL;
    return;
  }
  if (d->is_inline || d->is_static) {
    it->kind = ITEM_FUNCTION;
    return;
  }
  bool named = name_before_params(t, sig, d, it);
  if (named && !plain_declarator(t, sig, d, it))
    return;
  if (!named || it->name <= sig) {
    it->kind = ITEM_EXTERNAL; /* a member, a constructor, a conversion: not ours to forward */
    return;
  }
  it->args_end = d->params;
  it->sig = sig;
  it->params = d->params;
  it->sig_end = d->body ? d->body : d->end - 1;
  for (uint32_t i = d->params_end; i < it->sig_end; i++)
    if (cxx_is(t, i, "try"))
      it->sig_end = i;
  if (!same_arm(s, begin, it->sig_end))
    return;
  it->kind = special ? ITEM_SPECIALISATION : ITEM_INSTANTIATION;
}

static void name_single(struct cxx_item *it, uint32_t at) {
  it->name = at;
  it->name_end = at + 1;
}

/* typedef T N; typedef T (*N)(…); typedef T N[3]; typedef T N(…); typedef struct {…} N; */
static void name_typedef(const struct cxx_text *t, uint32_t word, uint32_t end, struct cxx_item *it) {
  uint32_t last = 0;
  for (uint32_t i = word + 1; i + 1 < end;) {
    if (cxx_punct(t, i) == '(' && cxx_punct(t, i + 1) == '*' && ident(t, i + 2)) {
      name_single(it, i + 2);
      return;
    }
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, end) : 0;
    char c = cxx_punct(t, i);
    if (ident(t, i) && !takes_group(t, i))
      last = i;
    i = behind ? behind : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, end) : i + 1;
  }
  if (last)
    name_single(it, last);
}

/* using … ; typedef … ; with or without template <…> before it */
static void scan_using(struct scanner *sc, uint32_t begin, uint32_t word, uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  struct cxx_item *it = item_add(sc, ITEM_USING, begin, end, scope);
  if (!same_arm(s, begin, end)) {
    it->kind = ITEM_UNKNOWN;
    return;
  }
  if (cxx_is(t, word, "using")) {
    uint32_t eq = word + 2;
    while (eq < end && (cxx_punct(t, eq) == '[' || takes_group(t, eq)))
      eq = cxx_skip_group(t, cxx_punct(t, eq) == '[' ? eq : eq + 1, end);
    if (!ident(t, word + 1) || cxx_is(t, word + 1, "namespace") || cxx_punct(t, eq) != '=')
      return;
    it->kind = ITEM_ALIAS;
    name_single(it, word + 1);
    return;
  }
  it->kind = ITEM_ALIAS;
  name_typedef(t, word, end, it);
  if (!it->name)
    it->kind = ITEM_UNKNOWN;
}

/* the name of a variable: the identifier before =, {, [ or ; */
static void name_variable(const struct cxx_text *t, const struct shape *d, struct cxx_item *it) {
  uint32_t i = d->assign ? d->assign : d->end - 1;
  if (!d->assign)
    for (uint32_t k = it->begin; k < d->end; k++)
      if (cxx_punct(t, k) == '{') {
        i = k;
        break;
      }
  while (i > it->begin && cxx_punct(t, i - 1) == ']')
    for (i--; i > it->begin && cxx_punct(t, i) != '['; i--)
      ;
  if (i > it->begin && ident(t, i - 1))
    name_single(it, i - 1);
}

/* Does a constant run code when it is loaded, and so must be there when the library is: `const bool r =
 * enrol();`, `static const Registrar r{"f"};`? Of what does not look harmless that is assumed. */
static bool has_effects(const struct cxx_text *t, const struct shape *d, uint32_t begin, uint32_t name) {
  bool plain = false; /* of a type without a constructor */
  for (uint32_t i = begin; i < name; i++)
    plain |= builtin(t, i);
  for (uint32_t i = name; i < d->end; i++) {
    char c = cxx_punct(t, i), before = cxx_punct(t, i - 1);
    if (c == '(' && ((ident(t, i - 1) && !cxx_is(t, i - 1, "sizeof")) || (before && strchr(">})]", before))))
      return true;
    if (cxx_is(t, i, "new") || (c == '{' && !plain))
      return true;
  }
  return !d->assign && !plain;
}

/* const T x has internal linkage; const T* x and const T& x do not */
static bool const_itself(const struct cxx_text *t, const struct shape *d, uint32_t name) {
  for (uint32_t i = d->is_const; i < name; i++)
    if (cxx_punct(t, i) == '*' || cxx_punct(t, i) == '&')
      return false;
  return d->is_const && d->is_const <= name;
}

uint32_t cxx_param_name(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  if (end < begin + 2 || !ident(t, end - 1) || builtin(t, end - 1) || qualifier(t, end - 1))
    return end;
  bool type = false; /* something before the last word is a type by itself */
  for (uint32_t i = begin; i + 1 < end; i++) {
    char c = cxx_punct(t, i);
    if (c == '=' || c == '(' || c == '[')
      return end;
    type |= ident(t, i) && !qualifier(t, i);
    if (c == '<') {
      uint32_t behind = cxx_skip_angles(t, i, end);
      if (!behind)
        return end;
      i = behind - 1;
    }
  }
  return type && !cxx_is(t, end - 2, "::") ? end - 1 : end;
}

/* Does token I of a parameter list, at its top level, stand there only where parameters are declared? */
static bool declares_parameter(const struct cxx_text *t, uint32_t i) {
  static const char *const operators[] = {"new", "sizeof", "not", "and", "or", "delete", "alignof"};
  char next = cxx_punct(t, i + 1);
  if ((builtin(t, i) || qualifier(t, i)) && next != '(' && next != '{')
    return true;
  bool value = ident(t, i) || cxx_punct(t, i) == '>';
  if (value && ident(t, i + 1))
    return !ONE_OF(t, i, operators) && !ONE_OF(t, i + 1, operators);
  if (value && (next == '&' || next == '*' || cxx_is(t, i + 1, "&&")))
    return true;
  return cxx_punct(t, i) == '.' && next == '.';
}

/* `float f(args a);` against `static Registrar r("f", &f<int>);`: is it a function that is declared? */
static bool declares_function(const struct cxx_text *t, uint32_t begin, const struct shape *d,
                              const struct cxx_item *it) {
  if (d->is_extern || d->op || d->params_end == d->params + 2)
    return true;
  for (uint32_t i = begin; i < it->name; i++)
    if (cxx_is(t, i, "void") && cxx_punct(t, i + 1) != '*')
      return true;
  if (cxx_is(t, d->params_end, "->") || cxx_is(t, d->params_end, "noexcept"))
    return true;
  for (uint32_t i = d->params + 1; i + 1 < d->params_end;) {
    if (declares_parameter(t, i))
      return true;
    char c = cxx_punct(t, i);
    uint32_t behind = c == '<' ? cxx_skip_angles(t, i, d->params_end) : 0;
    if (c == '<' && !behind) /* a comparison; those behind it are not looked at, each would read to the end */
      return false;
    if (behind && declares_parameter(t, behind - 1))
      return true;
    i = behind ? behind : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, d->params_end) : i + 1;
  }
  return false;
}

static void scan_plain(struct scanner *sc, uint32_t begin, struct shape *d, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  struct cxx_item *it = item_add(sc, ITEM_EXTERNAL, begin, d->end, scope);
  bool internal = s->scopes[scope].internal || d->is_static;
  if (d->klass && !d->params && !d->assign) {
    it->kind = d->after_klass ? ITEM_EXTERNAL : ITEM_TYPE;
    for (uint32_t i = begin; i < d->end && cxx_punct(t, i) != '{'; i++)
      if (ident(t, i) && (cxx_punct(t, i + 1) == '{' || cxx_punct(t, i + 1) == ':' ||
                          cxx_punct(t, i + 1) == ';' || cxx_is(t, i + 1, "final"))) {
        name_single(it, i);
        break;
      }
    if (!it->name && !cxx_is(t, begin, "enum"))
      it->kind = ITEM_UNKNOWN;
    return;
  }
  if (d->params && !d->assign) {
    if (!name_before_params(t, begin, d, it) && !d->op) {
      it->kind = ITEM_UNKNOWN;
      return;
    }
    if (!d->body && it->name == begin && !d->op) {
      it->kind = ITEM_UNKNOWN; /* MACRO(…); says nothing */
      return;
    }
    if (!d->body && !declares_function(t, begin, d, it)) {
      it->kind = ITEM_UNKNOWN;
      return;
    }
    bool inner = internal || d->is_inline || d->is_constexpr;
    it->kind = !d->body || inner ? ITEM_FUNCTION : ITEM_EXTERNAL;
    if (d->body && it->name == begin && !d->op)
      it->kind = ITEM_UNKNOWN; /* MACRO(…) {…} */
    return;
  }
  name_variable(t, d, it);
  uint32_t name = it->name ? it->name : d->end - 1;
  if (d->is_extern && !d->assign && cxx_punct(t, name + 1) != '{')
    it->kind = ITEM_FUNCTION; /* a declaration */
  else if (d->is_constexpr || (d->is_const && !d->is_extern && (internal || const_itself(t, d, name)) &&
                               !has_effects(t, d, begin, name)))
    it->kind = ITEM_CONSTANT;
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
  struct shape d;
  if (!shape_read(t, i, end, &d))
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
    name_before_params(t, i, &d, it);
  } else if (d.klass) {
    for (uint32_t k = i; k < d.end; k++)
      if (ident(t, k) && (cxx_punct(t, k + 1) == '{' || cxx_punct(t, k + 1) == ';' ||
                          cxx_punct(t, k + 1) == '<' || cxx_punct(t, k + 1) == ':')) {
        name_single(it, k);
        break;
      }
  } else {
    name_variable(t, &d, it);
  }
  return d.end;
}

static uint32_t scan_scope(struct scanner *sc, uint32_t i, uint32_t end, int scope);

/* namespace A::B [[…]] {…}, namespace {…}, inline namespace N {…}, namespace N = A::B; */
static uint32_t scan_namespace(struct scanner *sc, uint32_t begin, uint32_t end, int scope) {
  const struct cxx_text *t = &sc->s->code;
  uint32_t i = begin + (cxx_is(t, begin, "inline") ? 2 : 1);
  while (cxx_punct(t, i) == '[')
    i = cxx_skip_group(t, i, end);
  uint32_t name = i;
  while (ident(t, i) || cxx_is(t, i, "::"))
    i++;
  if (cxx_punct(t, i) == '=') {
    struct shape d;
    if (!shape_read(t, begin, end, &d))
      return 0;
    struct cxx_item *it = item_add(sc, ITEM_USING, begin, d.end, scope);
    name_single(it, name);
    return d.end;
  }
  uint32_t name_end = i;
  while (cxx_punct(t, i) == '[' || takes_group(t, i))
    i = cxx_skip_group(t, cxx_punct(t, i) == '[' ? i : i + 1, end);
  if (cxx_punct(t, i) != '{')
    return 0;
  uint32_t behind = cxx_skip_group(t, i, end);
  if (behind <= i + 1 || cxx_punct(t, behind - 1) != '}')
    return 0;
  int inner = scope_add(sc, scope, name, name_end);
  sc->s->scopes[inner].is_inline = cxx_is(t, begin, "inline");
  return scan_scope(sc, i + 1, behind - 1, inner) ? behind : 0;
}

static uint32_t scan_directive(struct scanner *sc, uint32_t i, int scope) {
  const struct cxx_text *t = &sc->s->code;
  size_t n;
  const char *w = directive_word(t, &t->toks[i], &n);
  enum cxx_item_kind kind =
      word_is(w, n, "include") || word_is(w, n, "include_next") || word_is(w, n, "import") ? ITEM_INCLUDE
      : word_is(w, n, "define") || word_is(w, n, "undef")                                  ? ITEM_DEFINE
                                                                                           : ITEM_DIRECTIVE;
  item_add(sc, kind, i, i + 1, scope);
  return i + 1;
}

/* one declaration at I; the index behind it, 0 where it was not understood */
static uint32_t scan_declaration(struct scanner *sc, uint32_t i, uint32_t end, int scope) {
  struct cxx_scan *s = sc->s;
  const struct cxx_text *t = &s->code;
  if (t->toks[i].kind == TOK_DIRECTIVE)
    return scan_directive(sc, i, scope);
  if (cxx_punct(t, i) == ';')
    return i + 1;
  if (cxx_is(t, i, "namespace") || (cxx_is(t, i, "inline") && cxx_is(t, i + 1, "namespace")))
    return scan_namespace(sc, i, end, scope);
  if (cxx_is(t, i, "extern") && cxx_is(t, i + 1, "template")) {
    struct shape d;
    if (!shape_read(t, i, end, &d))
      return 0;
    item_add(sc, ITEM_FUNCTION, i, d.end, scope);
    return d.end;
  }
  if (cxx_is(t, i, "template"))
    return scan_template(sc, i, end, scope);
  if (cxx_is(t, i, "extern") && t->toks[i + 1].kind == TOK_STRING && cxx_punct(t, i + 2) == '{') {
    uint32_t behind = cxx_skip_group(t, i + 2, end);
    /* Declarations in it are harmless, a definition is external: the scan of the inside tells. */
    return behind > i + 3 && scan_scope(sc, i + 3, behind - 1, scope) ? behind : 0;
  }
  struct shape d;
  if (!shape_read(t, i, end, &d))
    return 0;
  if (cxx_is(t, i, "using") || cxx_is(t, i, "typedef"))
    scan_using(sc, i, i, d.end, scope);
  else if (cxx_is(t, i, "static_assert") || cxx_is(t, i, "_Static_assert"))
    item_add(sc, ITEM_FUNCTION, i, d.end, scope);
  else if (cxx_is(t, i, "asm") || cxx_is(t, i, "__asm__"))
    item_add(sc, ITEM_EXTERNAL, i, d.end, scope);
  else
    scan_plain(sc, i, &d, scope);
  return d.end;
}

static uint32_t scan_scope(struct scanner *sc, uint32_t i, uint32_t end, int scope) {
  if (++sc->nesting > MAX_NESTING) {
    sc->s->odd = "namespaces are nested too deep";
    return 0;
  }
  while (i < end) {
    uint32_t next = scan_declaration(sc, i, end, scope);
    if (next <= i || next > end) {
      item_add(sc, ITEM_UNKNOWN, i, end, scope);
      if (!sc->s->odd)
        sc->s->odd = "a declaration that is not understood";
      return 0;
    }
    i = next;
  }
  sc->nesting--;
  return end + 1;
}

void cxx_scan(struct cxx_scan *s, const char *text, size_t len) {
  *s = (struct cxx_scan){0};
  bool whole = cxx_lex(&s->code, text, len);
  split(s);
  if (!whole)
    s->odd = "a comment or string that does not end, or a line splice within a word";
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

/* ---- what it is
 * -------------------------------------------------------------------------------------------- */

/* the last names only: `a::f` and `f` may be one function */
static bool same_name(const struct cxx_scan *s, const struct cxx_item *a, const struct cxx_item *b) {
  const struct cxx_tok *last = &s->code.toks[a->name_end - 1];
  return b->name_end > b->name && cxx_is_n(&s->code, b->name_end - 1, s->code.text + last->at, last->len);
}

/* Does the file itself declare a template of this name? Then nobody else can know of it. OWN: the items that
 * are templates. */
static bool declares(const struct cxx_scan *s, const struct cxx_item *it, const size_t *own, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (same_name(s, it, &s->items[own[i]]))
      return true;
  return false;
}

enum cxx_verdict cxx_scan_verdict(const struct cxx_scan *s) {
  bool unknown = s->odd != NULL, host = false;
  size_t nown = 0, nours = 0;
  size_t *own = xmalloc((s->nitems + 1) * sizeof *own), *ours = xmalloc((s->nitems + 1) * sizeof *ours);
  for (size_t i = 0; i < s->nitems; i++) {
    enum cxx_item_kind kind = s->items[i].kind;
    host |= kind == ITEM_EXTERNAL;
    unknown |= kind == ITEM_UNKNOWN;
    if (kind == ITEM_TEMPLATE)
      own[nown++] = i;
    if (kind == ITEM_SPECIALISATION || kind == ITEM_INSTANTIATION)
      ours[nours++] = i;
  }
  /* Names come in runs: one look for each run. */
  for (size_t i = 0; i < nours && !host && !unknown; i++)
    if (!i || !same_name(s, &s->items[ours[i]], &s->items[ours[i - 1]]))
      host = declares(s, &s->items[ours[i]], own, nown);
  free(own);
  free(ours);
  return host ? CXX_HOST : nours && !unknown ? CXX_BLOB : CXX_UNSURE;
}

enum cxx_verdict cxx_classify(const char *text, size_t len) {
  struct cxx_scan s;
  cxx_scan(&s, text, len);
  enum cxx_verdict v = cxx_scan_verdict(&s);
  cxx_scan_free(&s);
  return v;
}

/* ---- conditionals, written again
 * --------------------------------------------------------------------------- */

static int arm_first(const struct cxx_scan *s, int arm) {
  while (s->arms[arm].before >= 0)
    arm = s->arms[arm].before;
  return arm;
}

static int arm_level(const struct cxx_scan *s, int arm) {
  int n = 0;
  for (; arm > 0; arm = s->arms[arm].parent)
    n++;
  return n;
}

static int arm_ancestor(const struct cxx_scan *s, int arm, int level) {
  for (int n = arm_level(s, arm); n > level; n--)
    arm = s->arms[arm].parent;
  return arm;
}

/* the directives of WANT's conditional from behind arm AFTER (-1: from the start) up to WANT's own */
static void arm_enter(const struct cxx_scan *s, int after, int want, struct buf *out) {
  if (want == after)
    return;
  if (s->arms[want].before >= 0)
    arm_enter(s, after, s->arms[want].before, out);
  buf_putc(out, '\n');
  buf_add(out, s->code.text + s->arms[want].at, s->arms[want].len);
  buf_putc(out, '\n');
}

void cxx_arm_move(const struct cxx_scan *s, int *open, int want, struct buf *out) {
  int have = arm_level(s, *open), need = arm_level(s, want), same = 0;
  while (same < have && same < need && arm_ancestor(s, *open, same + 1) == arm_ancestor(s, want, same + 1))
    same++;
  /* A later arm of the conditional that is open now continues it; anything else closes it. */
  int from = same < have ? arm_ancestor(s, *open, same + 1) : -1;
  int to = same < need ? arm_ancestor(s, want, same + 1) : -1;
  bool onward = from >= 0 && to >= 0 && arm_first(s, from) == arm_first(s, to) && to > from;
  for (int n = have; n > same + (onward ? 1 : 0); n--)
    buf_puts(out, "\n#endif\n");
  for (int level = same + 1; level <= need; level++)
    arm_enter(s, onward && level == same + 1 ? from : -1, arm_ancestor(s, want, level), out);
  *open = want;
}
