/* cxxcode.c - see cxxjudge.h. Code has no effects that anybody sees if each of its words is its own: a literal, a name that it
 * declares, a constant, variable or function of the unit that has none either, or the standard library's (cxxstd.h). An unknown
 * name may be a macro, or a variable that the program sets after the library was loaded and before the first call.
 *
 * A lambda has no effects until it is called: at once, by the function that it is given to, or in a body that is judged.
 */
#include "cxxdeclarator.h"
#include "cxxjudge.h"

#include <limits.h>

static bool is_local(const struct judge *j, uint32_t name) {
  for (unsigned i = 0; i < j->nlocals; i++)
    if (judge_same(j, j->locals[i], name))
      return true;
  return false;
}

static bool is_enumerator(struct judge *j, uint32_t name) {
  for (size_t k = 0; k < j->nitems; k++) {
    const struct cxx_item *it = &j->s->items[k];
    if (++j->lookups > MAX_LOOKUPS)
      return false;
    if (it->kind == ITEM_TYPE && cxx_is(j->t, it->begin, "enum"))
      for (uint32_t i = judge_find(j, it->begin, it->end, '{'); i < it->end; i++)
        if (cxx_ident(j->t, i) && judge_same(j, i, name))
          return true;
  }
  return false;
}

/* Is the name a function of the unit itself? If it is CALLED, it must have no effects either. */
static bool own_function_ok(struct judge *j, const struct cxx_item *it, bool called) {
  const struct cxx_text *t = j->t;
  uint32_t params = it->name_end;
  if (cxx_punct(t, params) == '<')
    params = cxx_skip_angles(t, params, it->end);
  if (!params || cxx_punct(t, params) != '(')
    return false;
  if (!called)
    return true;
  for (uint32_t i = it->begin; i < it->name; i++)
    if (cxx_is(t, i, "constexpr") || cxx_is(t, i, "consteval"))
      return true;
  uint32_t body = judge_find(j, cxx_skip_group(t, params, it->end), it->end, '{');
  if (body >= it->end || ++j->depth > MAX_DEPTH)
    return false;
  unsigned locals = j->nlocals;
  bool ok = judge_code(j, params + 1, cxx_skip_group(t, params, it->end) - 1, true) &&
            judge_code(j, body + 1, it->end - 1, true);
  j->nlocals = locals;
  j->depth--;
  return ok;
}

/* A name in code that is no type: a constant, a variable, a function. */
static bool own_value_ok(struct judge *j, const struct name *n, bool called) {
  bool found = false;
  size_t k = 0;
  for (const struct cxx_item *it; (it = judge_own(j, n->last, &k));) {
    char next = cxx_punct(j->t, n->end);
    bool value = it->kind == ITEM_CONSTANT || it->kind == ITEM_VARIABLE;
    bool function = it->kind == ITEM_FUNCTION || it->kind == ITEM_TEMPLATE;
    found = value ? next != '(' && next != '{' : function && own_function_ok(j, it, called);
    if (!found)
      return false;
  }
  return found || (!called && is_enumerator(j, n->last));
}

/* Is the first part of the name one that the unit gives, to a namespace or a type? */
static bool own_qualifier(struct judge *j, const struct name *n) {
  size_t k = 0;
  if (n->begin == n->last || judge_own(j, n->begin, &k))
    return true;
  for (size_t i = 1; i < j->s->nscopes; i++)
    for (uint32_t w = j->s->scopes[i].name; w < j->s->scopes[i].name_end; w++)
      if (judge_same(j, w, n->begin))
        return true;
  return false;
}

/* The name N, in code: a type that is constructed, a function, or a value. RUNS: a function may be called by what it is
 * given to. */
static bool use_ok(struct judge *j, const struct name *n, bool runs) {
  char next = cxx_punct(j->t, n->end);
  bool called = next == '(' || next == '{' || (n->begin && cxx_is(j->t, n->begin - 1, "new"));
  if (n->in_std) {
    if (called && judge_std_type(j, n))
      return judge_named_type(j, n, true);
    /* a function that is not called std:: may be one of the unit's headers: overload resolution decides */
    if (n->in_std > n->begin ? judge_in(j, n->in_std, cxx_std_functions)
                             : cxx_is(j->t, n->begin, "numeric_limits"))
      return judge_args(j, n, 0, UINT_MAX);
    return called ? cxx_is_builtin(j->t, n->last) : judge_in(j, n->last, cxx_std_values);
  }
  if (n->begin == n->last && !called && judge_in(j, n->last, cxx_std_macros))
    return true;
  return (own_qualifier(j, n) && own_value_ok(j, n, called || runs)) ||
         (called && judge_named_type(j, n, true)) || (n->begin == n->last && judge_macro(j, n->last));
}

/* If a declaration begins at I, note what it declares and return the name's token; else 0. */
static uint32_t note_local(struct judge *j, uint32_t i, uint32_t end) {
  uint32_t name = judge_declared(j, i, end);
  char next = name < end ? cxx_punct(j->t, name + 1) : 0;
  if (name >= end || name == i || j->nlocals == MAX_LOCALS || !next || !strchr("={;([:,)", next))
    return 0;
  bool is_auto = false;
  uint32_t type_end = name;
  for (uint32_t k = i; k < name; k++)
    is_auto |= cxx_is(j->t, k, "auto");
  while (type_end > i && (cxx_punct(j->t, type_end - 1) == '&' || cxx_is(j->t, type_end - 1, "&&")))
    type_end--;
  if (!is_auto && !judge_type(j, i, type_end, true))
    return 0;
  j->locals[j->nlocals++] = name;
  return name;
}

/* A lambda, whose [ is at I. It has no effects unless it is called at once, or RUNS: it may be by what it is given to.
 * Returns the index behind it, 0 if it has effects or is not understood. */
static uint32_t lambda_ok(struct judge *j, uint32_t i, uint32_t end, bool runs) {
  const struct cxx_text *t = j->t;
  uint32_t captures = i + 1, behind = cxx_skip_group(t, i, end), params = 0, params_end = 0;
  for (uint32_t k = captures; k + 1 < behind; k++)
    if (!strchr("=&", cxx_punct(t, k) ? cxx_punct(t, k) : 'x') && !is_local(j, k))
      return 0;
  if (cxx_punct(t, behind) == '(') {
    params = behind + 1;
    behind = cxx_skip_group(t, behind, end);
    params_end = behind - 1;
  }
  uint32_t body = judge_find(j, behind, end, '{');
  if (body >= end)
    return 0;
  behind = cxx_skip_group(t, body, end);
  if (!runs && cxx_punct(t, behind) != '(')
    return behind;
  return (!params || judge_code(j, params, params_end, true)) && judge_code(j, body + 1, behind - 1, true)
             ? behind
             : 0;
}

static bool is_suffixed(const struct judge *j, uint32_t i) {
  const struct cxx_tok *k = &j->t->toks[i];
  if (k->kind == TOK_NUMBER)
    return memchr(j->t->text + k->at, '_', k->len) != NULL;
  const struct cxx_tok *next = &j->t->toks[i + 1];
  return cxx_ident(j->t, i + 1) && !next->space && j->t->text[next->at] == '_';
}

/* static_cast<T>, sizeof(T) and alignof(T) at I. Returns the index behind it; I if it is none of these, 0 if it has effects. */
static uint32_t cast_ok(struct judge *j, uint32_t i, uint32_t end) {
  const struct cxx_text *t = j->t;
  if ((cxx_is(t, i, "sizeof") || cxx_is(t, i, "alignof")) && cxx_punct(t, i + 1) == '(')
    return cxx_skip_group(t, i + 1, end);
  if (!cxx_is(t, i, "static_cast") && !cxx_is(t, i, "const_cast"))
    return i;
  uint32_t behind = cxx_punct(t, i + 1) == '<' ? cxx_skip_angles(t, i + 1, end) : 0;
  return behind && judge_type(j, i + 2, behind - 1, true) ? behind : 0;
}

/* One word, or more, of code, at I. Returns the index behind it, 0 if it may have effects. */
static uint32_t word_ok(struct judge *j, uint32_t i, uint32_t begin, uint32_t end, bool runs) {
  static const char *const words[] = {"true",  "false", "nullptr", "return",   "if",     "else", "for",
                                      "while", "do",    "break",   "continue", "switch", "case", "default",
                                      "const", "auto",  "new",     "not",      "and",    "or"};
  const struct cxx_text *t = j->t;
  struct name n;
  uint32_t kind = t->toks[i].kind, cast = cast_ok(j, i, end);
  char c = cxx_punct(t, i), before = i > begin ? cxx_punct(t, i - 1) : 0;
  if (kind == TOK_DIRECTIVE ||
      ((kind == TOK_NUMBER || kind == TOK_STRING || kind == TOK_CHAR) && is_suffixed(j, i)))
    return 0;
  if (c == '[' && (i == begin || !(cxx_ident(t, i - 1) || before == ')' || before == ']')))
    return lambda_ok(j, i, end, runs);
  if (c == '(' && (before == ')' ||
                   before == ']')) /* who knows what is called; behind } it is a lambda that was judged */
    return 0;
  if (cast != i)
    return cast;
  if (kind != TOK_IDENT && !cxx_is(t, i, "::"))
    return i + 1;
  if (before == '.' ||
      (i > begin && cxx_is(t, i - 1, "->"))) /* of what was judged, or .name = of an aggregate */
    return cxx_punct(t, i + 1) != '(' || judge_in(j, i, cxx_std_members) ? i + 1 : 0;
  if (CXX_ONE_OF(t, i, words) || cxx_is_builtin(t, i) || is_local(j, i))
    return i + 1;
  return judge_name(j, i, end, &n) && use_ok(j, &n, runs) ? n.end : 0;
}

/* Has the code from BEGIN to END-1 no effects but on what it declares? STATEMENTS: a function's body or parameters, in which
 * names may be declared; else an initialiser. */
bool judge_code(struct judge *j, uint32_t begin, uint32_t end, bool statements) {
  const struct cxx_text *t = j->t;
  bool start = statements; /* of a statement, or of a parameter */
  int parens = 0;
  if (++j->depth > MAX_DEPTH)
    return false;
  for (uint32_t i = begin, next; i < end; i = next) {
    parens += (cxx_punct(t, i) == '(') - (cxx_punct(t, i) == ')');
    uint32_t local = start && cxx_ident(t, i) ? note_local(j, i, end) : 0;
    next = local ? local + 1 : word_ok(j, i, begin, end, statements || parens > 0);
    if (!next || next > end)
      return false;
    start = statements && strchr(";{}(,", cxx_punct(t, next - 1) ? cxx_punct(t, next - 1) : 'x');
  }
  j->depth--;
  return true;
}
