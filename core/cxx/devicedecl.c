/* devicedecl.c - see devicedecl.h.
 *
 * A kernel is a declaration with `global` in an __attribute__ list; __global__ becomes that when
 * the text is preprocessed, for CUDA and for HIP. From there the declaration is read according to
 * the grammar: specifiers, the declarator with its parameters, and what may follow them. The body
 * is the { that comes next; braces before it are values (`type_of<width{4}> k()`) or requirements.
 * If one kernel does not read like that, the whole text counts as not understood: a body found in
 * the wrong place would mean that other code is lost.
 */
#include "devicedecl.h"

/* ---- tokens without directives ---- */

bool split_read(struct split_text *u, const char *text, size_t len) {
  *u = (struct split_text){0};
  if (!cxx_lex(&u->code, text, len))
    return false;
  struct cxx_text *t = &u->code;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->n; i++)
    u->n += t->toks[i].kind == TOK_DIRECTIVE;
  u->directives = xmalloc((u->n + 1) * sizeof *u->directives);
  u->n = 0;
  for (uint32_t i = 0; i <= t->n; i++) { /* with the TOK_END */
    if (t->toks[i].kind == TOK_DIRECTIVE)
      u->directives[u->n++] = t->toks[i];
    else
      t->toks[kept++] = t->toks[i];
  }
  t->n = kept - 1;
  return true;
}

void split_free(struct split_text *u) {
  cxx_text_free(&u->code);
  free(u->directives);
}

/* ---- a kernel's declaration ---- */

bool decl_any(const struct cxx_text *t, uint32_t i, const char *const *words) {
  for (; *words; words++)
    if (cxx_is(t, i, *words))
      return true;
  return false;
}

uint32_t decl_attribute(const struct cxx_text *t, uint32_t i, const char *name, const char *same) {
  /* most tokens: asked for millions of times */
  if (i >= t->n || t->text[t->toks[i].at] != '_' || t->toks[i].len < strlen("__attribute"))
    return 0;
  if (cxx_punct(t, i + 1) != '(' || cxx_punct(t, i + 2) != '(' ||
      !(cxx_is(t, i, "__attribute__") || cxx_is(t, i, "__attribute")))
    return 0;
  uint32_t end = cxx_skip_group(t, i + 1, t->n);
  for (uint32_t k = i + 3; k + 1 < end;) {
    char c = cxx_punct(t, k), before = cxx_punct(t, k - 1);
    if ((cxx_is(t, k, name) || cxx_is(t, k, same)) && (before == '(' || before == ','))
      return end;
    k = c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, k, end) : k + 1;
  }
  return 0;
}

uint32_t decl_global(const struct cxx_text *t, uint32_t i) {
  return decl_attribute(t, i, "global", "__global__");
}

uint32_t decl_angles(const struct cxx_text *t, uint32_t i) {
  uint32_t behind = cxx_skip_angles(t, i, t->n);
  for (uint32_t k = i + 1; k < behind; k++)
    if (cxx_punct(t, k) == '{' && cxx_punct(t, k - 1) == ')')
      return i + 1;
  return behind ? behind : i + 1;
}

uint32_t decl_specifier(const struct cxx_text *t, uint32_t i) {
  static const char *const with_group[] = {"__attribute__", "__attribute", "alignas",  "decltype",
                                           "typeof",        "__typeof__",  "__typeof", "__declspec",
                                           "__decltype",    NULL};
  static const char *const marks[] = {"::", "*", "&", "&&", "~", NULL};
  if (decl_any(t, i, with_group))
    return cxx_punct(t, i + 1) == '(' ? cxx_skip_group(t, i + 1, t->n) : 0;
  if (cxx_punct(t, i) == '[')
    return cxx_skip_group(t, i, t->n);
  if (cxx_punct(t, i) == '<')
    return decl_angles(t, i);
  return cxx_ident(t, i) || decl_any(t, i, marks) ? i + 1 : 0;
}

/* Returns the token after the parameters of the declaration that continues at I. Returns I itself
 * if the attribute stands after the parameters, so that the declaration's end or its body comes
 * next. Returns 0 if the text is not understood. */
static uint32_t behind_parameters(const struct cxx_text *t, uint32_t i) {
  char first = cxx_punct(t, i);
  if (first == '{' || first == ';' || first == '=')
    return i;
  while (i && i < t->n && cxx_punct(t, i) != '(' && cxx_punct(t, i) != ';')
    i = decl_specifier(t, i);
  if (!i || i >= t->n)
    return 0;
  if (cxx_punct(t, i) == ';') /* typedef void type(int *); __global__ type k; */
    return i;
  do /* void (k)(int) */
    i = cxx_skip_group(t, i, t->n);
  while (cxx_punct(t, i) == '(');
  return i;
}

/* Returns the token after the constraint at I, which follows the word `requires`. */
static uint32_t behind_constraint(const struct cxx_text *t, uint32_t i) {
  for (bool operand = true; i < t->n;) {
    char c = cxx_punct(t, i);
    if (operand && cxx_is(t, i, "requires")) { /* an expression: requires (T t) { t.x; } */
      i += 1;
      if (cxx_punct(t, i) == '(')
        i = cxx_skip_group(t, i, t->n);
      if (cxx_punct(t, i) != '{')
        return t->n;
      i = cxx_skip_group(t, i, t->n);
      operand = false;
    } else if (cxx_is(t, i, "&&") || cxx_is(t, i, "||")) {
      operand = true;
      i++;
    } else if (operand && c == '(') {
      i = cxx_skip_group(t, i, t->n);
      operand = false;
    } else if (cxx_punct(t, i) == '<') {
      i = decl_angles(t, i);
    } else if (cxx_is(t, i, "::") || (cxx_ident(t, i) && !cxx_is(t, i, "try"))) {
      operand = false;
      i++;
    } else {
      break;
    }
  }
  return i;
}

/* Returns the token after the type at I, which follows the ->. */
static uint32_t behind_type(const struct cxx_text *t, uint32_t i) {
  for (uint32_t next; i < t->n && !cxx_is(t, i, "requires") && !cxx_is(t, i, "try"); i = next)
    if (!(next = decl_specifier(t, i)))
      break;
  return i;
}

enum found decl_body(const struct cxx_text *t, uint32_t i, uint32_t *at) {
  static const char *const words[] = {"const", "volatile", "override", "final",
                                      "&",     "&&",       "try",      NULL};
  static const char *const groups[] = {"noexcept", "throw",   "__attribute__", "__attribute",
                                       "asm",      "__asm__", "__asm",         NULL};
  for (i = behind_parameters(t, i); i && i < t->n;) {
    char c = cxx_punct(t, i);
    if (c == ';' || c == '=' || c == ',')
      return NO_BODY;
    if (c == '{') {
      *at = i;
      return BODY;
    }
    if (decl_any(t, i, groups))
      i = cxx_punct(t, i + 1) == '(' ? cxx_skip_group(t, i + 1, t->n) : i + 1;
    else if (decl_any(t, i, words))
      i++;
    else if (c == '[')
      i = cxx_skip_group(t, i, t->n);
    else if (cxx_is(t, i, "->"))
      i = behind_type(t, i + 1);
    else if (cxx_is(t, i, "requires"))
      i = behind_constraint(t, i + 1);
    else
      break;
  }
  return NOT_UNDERSTOOD;
}

uint32_t decl_name(const struct cxx_text *t, uint32_t i) {
  uint32_t name = 0;
  for (uint32_t next; i < t->n; i = next) {
    char c = cxx_punct(t, i);
    if (c == ';' || c == '=' || c == '{' || c == '(' || c == ',' || !(next = decl_specifier(t, i)))
      break;
    if (cxx_ident(t, i) && next == i + 1)
      name = i;
  }
  return name;
}
