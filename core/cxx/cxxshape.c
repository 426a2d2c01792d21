/* cxxshape.c - see cxxshape.h. One pass over the tokens of a declaration; brackets are skipped as a
 * whole.
 *
 * The hard character is '<': after a name it opens a template argument list, elsewhere it is a
 * comparison (`bool b = n < 3;`). The first one is tried as a bracket. If it does not close, no
 * other '<' of the declaration is tried: each attempt reads to the end, which made a generated file
 * of comparisons take quadratic time.
 */
#include "cxxshape.h"

/* The words differ mostly in length and first letter, so mismatches are cheap. */
bool cxx_one_of(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n) {
  if (i >= t->n)
    return false;
  const char *p = t->text + t->toks[i].at;
  size_t len = t->toks[i].len;
  for (size_t w = 0; w < n; w++)
    if (words[w][0] == *p && strlen(words[w]) == len && memcmp(words[w], p, len) == 0)
      return true;
  return false;
}

bool cxx_takes_group(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "__attribute__", "__attribute", "decltype",        "alignas",
      "__declspec",    "noexcept",    "explicit",        "__launch_bounds__",
      "typeof",        "__typeof__",  "requires",        "throw",
      "asm",           "__asm__",     "__arm_new",       "__arm_in",
      "__arm_out",     "__arm_inout", "__arm_preserves", "__arm_agnostic",
      "__align__"};
  return CXX_ONE_OF(t, i, words);
}

/* The token after the attributes at I, of a namespace. */
static uint32_t behind_attributes(const struct cxx_text *t, uint32_t i) {
  while (cxx_punct(t, i) == '[' || cxx_takes_group(t, i))
    i = cxx_skip_group(t, cxx_punct(t, i) == '[' ? i : i + 1, t->n);
  return i;
}

bool cxx_opens(const struct cxx_text *t, uint32_t i, struct cxx_opening *o) {
  *o = (struct cxx_opening){.is_inline = cxx_is(t, i, "inline")};
  o->group = cxx_is(t, i, "extern") && i + 1 < t->n && t->toks[i + 1].kind == TOK_STRING &&
             cxx_punct(t, i + 2) == '{';
  i += o->is_inline;
  if (o->group)
    o->body = i + 3;
  if (o->group || !cxx_is(t, i, "namespace"))
    return o->group;
  o->name = o->name_end = behind_attributes(t, i + 1);
  while ((cxx_ident(t, o->name_end) && !cxx_takes_group(t, o->name_end)) ||
         cxx_is(t, o->name_end, "::"))
    o->name_end++;
  o->body = behind_attributes(t, o->name_end) + 1;
  return cxx_punct(t, o->body - 1) == '{';
}

static void note_specifier(const struct cxx_text *t, uint32_t i, struct cxx_shape *d) {
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

/* Each read_… consumes what begins at token I and returns the index after it. */

static uint32_t read_word(const struct cxx_text *t, uint32_t i, uint32_t end, struct cxx_shape *d) {
  if (t->toks[i].kind != TOK_IDENT || d->params || d->assign)
    return i + 1;
  note_specifier(t, i, d);
  if (cxx_is(t, i, "operator")) {
    d->op = true;
    for (i++; i < end && cxx_punct(t, i) != '('; i++)
      ;
    bool call = cxx_punct(t, i) == '(' && cxx_punct(t, i + 1) == ')' && cxx_punct(t, i + 2) == '(';
    return call ? i + 2 : i;
  }
  if (cxx_takes_group(t, i) && cxx_punct(t, i + 1) == '(')
    return cxx_skip_group(t, i + 1, end);
  return i + 1;
}

/* Does another declaration begin at I, in the midst of this one? `long f(long v) BEGIN return v;
 * END template …`: a macro that opens or closes a scope has hidden the end of this declaration, and
 * the other would be lost with it. */
static bool begins_template(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "template") && !cxx_is(t, i - 1, "::") && cxx_punct(t, i - 1) != '.' &&
         !cxx_is(t, i - 1, "->") && !cxx_is(t, i - 1, "extern");
}

static uint32_t read_parens(const struct cxx_text *t, uint32_t i, uint32_t end,
                            struct cxx_shape *d) {
  uint32_t behind = cxx_skip_group(t, i, end);
  if (!d->params && !d->assign && !d->klass_body) {
    d->params = i;
    d->params_end = behind;
  }
  return behind;
}

/* Set d->end if the declaration ends with these braces. They are the body of a function if a
 * parameter list precedes them and nothing before them starts an initialiser; in `: a{1}, b{2} {…}`
 * the last braces are, and no other braces follow a body. */
static uint32_t read_braces(const struct cxx_text *t, uint32_t i, uint32_t end,
                            struct cxx_shape *d) {
  uint32_t behind = cxx_skip_group(t, i, end);
  char next = cxx_punct(t, behind);
  if (d->klass && !d->params && !d->assign) {
    d->klass_body = true;
    d->after_klass = next != ';';
  } else if (d->params && !d->assign && !d->klass_body) {
    if (!d->body)
      d->body = i;
    if (next == ';') /* void f() {}; */
      d->end = behind + 1;
    else if (next != ',' && next != '{' && !cxx_is(t, behind, "catch"))
      d->end = behind;
  }
  return behind;
}

bool cxx_shape_read(const struct cxx_text *t, uint32_t i, uint32_t end, struct cxx_shape *d) {
  *d = (struct cxx_shape){0};
  bool comparison = false; /* a '<' without a closing '>' was seen */
  for (uint32_t begin = i, behind; i < end && !d->end;) {
    switch (cxx_punct(t, i)) {
    case 0:
      if (i > begin && begins_template(t, i))
        return false;
      i = read_word(t, i, end, d);
      break;
    case ';':
      d->end = i + 1;
      break;
    case '}':
    case ')':
    case ']':
      return false;
    case '[':
      i = cxx_skip_group(t, i, end);
      break;
    case '(':
      i = read_parens(t, i, end, d);
      break;
    case '{':
      i = read_braces(t, i, end, d);
      break;
    case '<':
      behind = 0;
      if (i > begin && t->toks[i - 1].kind == TOK_IDENT && !d->assign && !comparison) {
        behind = cxx_skip_angles(t, i, end);
        comparison = !behind;
      }
      i = behind ? behind : i + 1;
      break;
    case '=':
      if (!d->assign)
        d->assign = i;
      i++;
      break;
    default:
      i++;
    }
  }
  return d->end != 0;
}
