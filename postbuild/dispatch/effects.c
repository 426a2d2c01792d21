/* effects.c - see effects.h. The answer is "yes" for a small subset of C++: variables, members,
 * constants, and operators without effects; methods of strings that change nothing; and calls of
 * functions that the file defines, if every definition of that name is itself made of such
 * expressions and its parameters are scalars by value. Anything else, down to a single token that
 * is not expected, is "no".
 */
#include "effects.h"

enum {
  /* of functions that conditions call, and these call */
  MAX_DEPTH = 4,
  /* parameters and variables of such a function */
  MAX_OWN = 16,
};

/* ---- expressions ---- */

/* An expression that is being looked at, and the names that the function around it declares. */
struct look {
  struct atoms *a;
  const struct cxx_text *t;
  bool guarded;
  /* the function's parameters and variables, whose types are checked where declared */
  const uint32_t *own;
  size_t nown;
  int depth; /* of functions called */
};

static void add_unique(struct intern *list, char *text) {
  intern(list, text);
  free(text);
}

static bool is_own(const struct look *k, uint32_t i) {
  for (size_t j = 0; j < k->nown; j++)
    if (same_tok(k->t, i, k->own[j]))
      return true;
  return false;
}

/* words that are in no expression of the subset */
static bool is_forbidden(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {"new",
                                      "delete",
                                      "throw",
                                      "co_await",
                                      "co_yield",
                                      "typeid",
                                      "decltype",
                                      "sizeof",
                                      "alignof",
                                      "noexcept",
                                      "not_eq",
                                      "xor",
                                      "bitand",
                                      "bitor",
                                      "compl",
                                      "and_eq",
                                      "or_eq",
                                      "xor_eq",
                                      "operator",
                                      "template",
                                      "typename",
                                      "requires",
                                      "asm",
                                      "if",
                                      "const",
                                      "volatile",
                                      "auto",
                                      "static_cast",
                                      "reinterpret_cast",
                                      "dynamic_cast",
                                      "const_cast"};
  return TEXT_WORD(t, i, words);
}

/* punctuation that has an effect, or may: assignments, ++ and --, braces, subscripts */
static bool is_effect(const struct cxx_text *t, uint32_t i) {
  char c = cxx_punct(t, i), next = cxx_punct(t, i + 1);
  if (c == '=' || c == '{' || c == '}' || c == ';' || c == '#' || c == '[' || c == ']')
    return true;
  if ((c == '+' || c == '-') && next == c)
    return true;
  return c == '>' && cxx_is(t, i + 1, ">=");
}

/* CK's backward dispatchers write `and`. */
static bool is_operator_word(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "and") || cxx_is(t, i, "or") || cxx_is(t, i, "not");
}

static bool is_operand(const struct cxx_text *t, uint32_t i) {
  return i < t->n && !is_operator_word(t, i) && (t->toks[i].kind != TOK_PUNCT || punct(t, i, ')'));
}

static bool nonzero_number(const struct cxx_text *t, uint32_t i) {
  if (i >= t->n || t->toks[i].kind != TOK_NUMBER)
    return false;
  for (uint32_t k = 0; k < t->toks[i].len; k++) {
    char c = t->text[t->toks[i].at + k];
    if (c >= '1' && c <= '9')
      return true;
    if (c != '0' && c != '\'')
      return false;
  }
  return false;
}

static bool is_literal(const struct cxx_text *t, uint32_t i) {
  return i < t->n &&
         (t->toks[i].kind == TOK_NUMBER || t->toks[i].kind == TOK_STRING || t->toks[i].kind == TOK_CHAR);
}

static bool function_is_pure(struct look *k, uint32_t name);
static bool look_at(struct look *k, uint32_t i, uint32_t end);

/* The methods of strings that change nothing, with literals for arguments. compare with a position
 * other than 0 may throw. */
static bool string_call(struct look *k, uint32_t path, uint32_t method, uint32_t close) {
  static const char *const words[] = {"compare",     "size",      "length", "empty",
                                      "starts_with", "ends_with", "find",   "rfind"};
  const struct cxx_text *t = k->t;
  if (!TEXT_WORD(t, method, words))
    return false;
  for (uint32_t i = method + 2; i < close; i++)
    if (!is_literal(t, i) && !punct(t, i, ','))
      return false;
  if (cxx_is(t, method, "compare") && t->toks[method + 2].kind == TOK_NUMBER && !cxx_is(t, method + 2, "0"))
    return false;
  add_unique(&k->a->strings, text_copy(t, path, method - 1));
  return true;
}

static bool is_string(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_STRING;
}

/* The operand that begins with the word at I: a::b, a.b.c, a->b, f(…), s.compare("…"). Returns the
 * index after it; 0 if it is not understood. */
static uint32_t look_at_operand(struct look *k, uint32_t i, uint32_t end) {
  static const char *const constants[] = {"true", "false", "nullptr"};
  const struct cxx_text *t = k->t;
  if (TEXT_WORD(t, i, constants))
    return i + 1;
  uint32_t p = i;
  bool own = is_own(k, i);
  for (;; p += 2) {
    if (is_forbidden(t, p))
      return 0;
    add_unique(&k->a->words, text_copy(t, p, p + 1));
    bool arrow = cxx_is(t, p + 1, "->");
    if (p + 2 >= end || !ident(t, p + 2) || !(cxx_is(t, p + 1, "::") || punct(t, p + 1, '.') || arrow))
      break;
    if (arrow) {
      k->guarded = true;
      add_unique(&k->a->pointers, text_copy(t, i, p + 1));
    }
    if (own) /* a parameter is a scalar: it has no members */
      return 0;
  }
  if (p + 1 < end && punct(t, p + 1, '(')) {
    uint32_t behind = cxx_skip_group(t, p + 1, end);
    if (behind > end || !punct(t, behind - 1, ')'))
      return 0;
    if (p > i && punct(t, p - 1, '.'))
      return string_call(k, i, p, behind - 1) ? behind : 0;
    if (p != i || !function_is_pure(k, i) || !look_at(k, p + 2, behind - 1))
      return 0;
    k->guarded = true;
    if (!k->depth)
      add_unique(&k->a->scalars, text_copy(t, i, behind));
    return behind;
  }
  bool string = (text_equality(t, p + 1) && is_string(t, p + 2)) ||
                (i >= 2 && text_equality(t, i - 1) && is_string(t, i - 2));
  if (!own)
    add_unique(string ? &k->a->strings : &k->a->scalars, text_copy(t, i, p + 1));
  return p + 1;
}

/* Is [I, END) an expression without effects, as far as the text says? */
static bool look_at(struct look *k, uint32_t i, uint32_t end) {
  const struct cxx_text *t = k->t;
  while (i < end) {
    if (t->toks[i].kind == TOK_DIRECTIVE || is_effect(t, i))
      return false;
    if (is_operator_word(t, i)) {
      i++;
      continue;
    }
    if (ident(t, i)) {
      if (i && ((ident(t, i - 1) && is_operand(t, i - 1) && !(k->depth && cxx_is(t, i - 1, "return"))) ||
                cxx_is(t, i - 1, "->") || punct(t, i - 1, '.')))
        return false;
      i = look_at_operand(k, i, end);
      if (!i)
        return false;
      continue;
    }
    char c = cxx_punct(t, i);
    bool binary = i && is_operand(t, i - 1);
    if (c == '(' && binary)
      return false; /* a call of something other than a name, or a cast */
    if (c == '*' && !binary)
      return false;
    if ((c == '%' || c == '/') && !nonzero_number(t, i + 1))
      k->guarded = true;
    if ((c == '+' || c == '-' || c == '*') && binary)
      k->guarded = true; /* it may overflow */
    if (cxx_is(t, i, "<<") || (c == '>' && punct(t, i + 1, '>')))
      k->guarded = true;
    if (c == ',' && !k->depth && i && !is_operand(t, i - 1))
      return false;
    i++;
  }
  return true;
}

/* ---- functions that conditions call ---- */

/* Parameters `T a, const U b` in [I, END): their names to OWN. The types are to be checked: they
 * must be scalar. */
static bool look_at_params(struct look *k, uint32_t i, uint32_t end, uint32_t *own, size_t *nown) {
  const struct cxx_text *t = k->t;
  for (uint32_t from = i; from < end; i++) {
    if (i < end && !punct(t, i, ','))
      continue;
    uint32_t name = cxx_param_name(t, from, i);
    if (name == i || *nown == MAX_OWN || punct(t, name - 1, '&') || cxx_is(t, from, "auto"))
      return false;
    add_unique(&k->a->types, text_copy(t, from, name));
    own[(*nown)++] = name;
    from = i + 1;
  }
  return true;
}

/* { const T x = …; return …; } */
static bool look_at_body(struct look *k, uint32_t i, uint32_t end, uint32_t *own, size_t *nown) {
  const struct cxx_text *t = k->t;
  while (i < end) {
    uint32_t stop = i, equals = 0;
    for (; stop < end && !punct(t, stop, ';'); stop++)
      if (punct(t, stop, '=') && !equals)
        equals = stop;
    if (stop == end)
      return false;
    uint32_t from = i + 1;
    if (!cxx_is(t, i, "return")) {
      uint32_t name = equals ? cxx_param_name(t, i, equals) : equals;
      if (name == equals || *nown == MAX_OWN || punct(t, name - 1, '&') || cxx_is(t, i, "static"))
        return false;
      if (!cxx_is(t, name - 1, "auto"))
        add_unique(&k->a->types, text_copy(t, i, name));
      own[(*nown)++] = name;
      from = equals + 1;
    }
    k->nown = *nown;
    if (!look_at(k, from, stop))
      return false;
    i = stop + 1;
  }
  return true;
}

/* Does token I name a function that is defined here, or a variable that is a lambda, without
 * effects? 0: nothing is defined here; 1: yes; -1: it has effects, or is not understood. */
static int look_at_definition(const struct look *outer, uint32_t i) {
  const struct cxx_text *t = outer->t;
  uint32_t own[MAX_OWN], open = i + 1;
  if (punct(t, i + 1, '=') && text_lambda(t, i + 2)) {
    if (!cxx_is(t, i - 1, "auto"))
      return -1;
    open = cxx_skip_group(t, i + 2, t->n);
    for (uint32_t k = i + 2; k < open; k++)
      if (punct(t, k, '=') && !punct(t, k - 1, '['))
        return -1; /* a capture with an initialiser */
  } else if (!(ident(t, i - 1) && !cxx_is(t, i - 1, "return") && !cxx_is(t, i - 1, "else"))) {
    return 0;
  }
  size_t nown = 0;
  struct look k = {outer->a, t, false, own, 0, outer->depth + 1};
  uint32_t close = punct(t, open, '(') ? cxx_skip_group(t, open, t->n) : 0;
  if (!close || !punct(t, close, '{') || k.depth > MAX_DEPTH)
    return -1;
  uint32_t end = cxx_skip_group(t, close, t->n) - 1;
  bool pure =
      look_at_params(&k, open + 1, close - 1, own, &nown) && look_at_body(&k, close + 1, end, own, &nown);
  return pure ? 1 : -1;
}

/* All that the file defines under the name of token NAME must be without effects: which of several
 * the compiler takes is not looked into. */
static bool function_is_pure(struct look *k, uint32_t name) {
  bool found = false;
  for (uint32_t i = 1; i + 1 < k->t->n; i++) {
    if (!ident(k->t, i) || !same_tok(k->t, i, name) || i == name)
      continue;
    int what = look_at_definition(k, i);
    if (what < 0)
      return false;
    found |= what > 0;
  }
  return found;
}

bool effects_none(struct atoms *a, struct range r, bool *guarded) {
  struct look k = {a, &a->s->code, false, NULL, 0, 0};
  bool none = look_at(&k, r.begin, r.end);
  *guarded = k.guarded;
  return none;
}
