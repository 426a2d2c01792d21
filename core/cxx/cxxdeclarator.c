/* cxxdeclarator.c - see cxxdeclarator.h. A name is found by the tokens around it, not by what it
 * means. A form that is not listed here makes an item ITEM_UNKNOWN, and its file is compiled as it
 * is. Guessing is allowed in one direction only: an initialiser that may run code counts as one
 * that does.
 */
#include "cxxdeclarator.h"

bool cxx_is_builtin(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "bool",     "char",     "short",     "int",      "long",     "float",    "double",
      "signed",   "unsigned", "void",      "wchar_t",  "char8_t",  "char16_t", "char32_t",
      "size_t",   "int8_t",   "int16_t",   "int32_t",  "int64_t",  "uint8_t",  "uint16_t",
      "uint32_t", "uint64_t", "ptrdiff_t", "intptr_t", "uintptr_t"};
  return CXX_ONE_OF(t, i, words);
}

static bool qualifier(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {"const", "volatile", "typename", "struct",
                                      "class", "enum",     "union",    "auto"};
  return CXX_ONE_OF(t, i, words);
}

/* ---- names ---- */

/* The < that matches the > at K, which ends a template argument list; searched back to FIRST. 0 if
 * there is none. */
static uint32_t angles_begin(const struct cxx_text *t, uint32_t first, uint32_t k) {
  for (int depth = 0;; k--) {
    char c = cxx_punct(t, k);
    if (c == ')' || c == ']' || c == '}') {
      char open = c == ')' ? '(' : c == ']' ? '[' : '{';
      int nest = 0;
      for (; k > first; k--) {
        nest += (cxx_punct(t, k) == c) - (cxx_punct(t, k) == open);
        if (!nest)
          break;
      }
    } else if (c == '>') {
      depth++;
    } else if (c == '<' && --depth == 0) {
      return k;
    }
    if (k <= first)
      return 0;
  }
}

bool cxx_name_before_params(const struct cxx_text *t, uint32_t sig, const struct cxx_shape *d,
                            struct cxx_item *it) {
  uint32_t p = d->params;
  it->args = it->args_end = p;
  if (p > sig && cxx_punct(t, p - 1) == '>') {
    p = angles_begin(t, sig, p - 1);
    if (!p)
      return false;
    it->args = p;
  }
  if (p <= sig || !cxx_ident(t, p - 1) || d->op) /* `operator long() const` is not called long */
    return false;
  it->name_end = p;
  it->name = p - 1;
  while (it->name >= sig + 2 && cxx_is(t, it->name - 1, "::") && cxx_ident(t, it->name - 2) &&
         !cxx_is_builtin(t, it->name - 2) &&
         !qualifier(t, it->name - 2)) /* void ::f<int>(), auto ::f<int>() -> int */
    it->name -= 2;
  if (it->name > sig && cxx_is(t, it->name - 1, "::")) {
    if (it->name > sig + 1 && cxx_punct(t, it->name - 2) == '>')
      return false; /* a member of a class template's specialisation */
    it->name--;
  }
  return true;
}

bool cxx_names_constructor(const struct cxx_text *t, const struct cxx_item *it) {
  uint32_t last = it->name_end - 1;
  return last >= it->name + 2 && cxx_is(t, last - 1, "::") && cxx_ident(t, last - 2) &&
         t->toks[last].len == t->toks[last - 2].len &&
         memcmp(t->text + t->toks[last].at, t->text + t->toks[last - 2].at, t->toks[last].len) == 0;
}

bool cxx_plain_declarator(const struct cxx_text *t, uint32_t sig, const struct cxx_shape *d,
                          const struct cxx_item *it) {
  /* the last ones are attributes of SME: __arm_streaming __arm_inout("za") */
  static const char *const words[] = {"const",
                                      "volatile",
                                      "noexcept",
                                      "try",
                                      "requires",
                                      "throw",
                                      "__attribute__",
                                      "__arm_streaming",
                                      "__arm_streaming_compatible",
                                      "__arm_in",
                                      "__arm_out",
                                      "__arm_inout",
                                      "__arm_preserves",
                                      "__arm_agnostic"};
  uint32_t i = d->params_end;
  char c = cxx_punct(t, i);
  if (c == '<' || c == '(' ||
      (cxx_ident(t, i) && !CXX_ONE_OF(t, i, words) && cxx_punct(t, i + 1) != '{'))
    return false;
  for (i = sig; i < it->name;) {
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->name) : i + 1;
    if (!behind)
      return false;
    i = behind;
  }
  return true;
}

/* N of (*N), (&N), (C::*N) and (* const N), which open at I; 0 if there is none. */
static uint32_t pointed_name(const struct cxx_text *t, uint32_t i, uint32_t end) {
  uint32_t open = i;
  while (i + 1 < end && (cxx_ident(t, i + 1) || cxx_is(t, i + 1, "::")))
    i++;
  char c = cxx_punct(t, i + 1);
  if ((c != '*' && c != '&' && !cxx_is(t, i + 1, "&&")) || (i > open && !cxx_is(t, i, "::")))
    return 0; /* typedef void N(int* p) has parameters */
  for (i += 2; cxx_is(t, i, "const") || cxx_punct(t, i) == '*' || cxx_punct(t, i) == '&';)
    i++;
  return i < end && cxx_ident(t, i) ? i : 0;
}

void cxx_name_typedef(const struct cxx_text *t, uint32_t word, uint32_t end, struct cxx_item *it) {
  uint32_t last = 0;
  for (uint32_t i = word + 1; i + 1 < end;) {
    uint32_t inner = cxx_punct(t, i) == '(' ? pointed_name(t, i, end) : 0;
    if (inner) {
      cxx_name_single(it, inner);
      return;
    }
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, end) : 0;
    char c = cxx_punct(t, i);
    if (cxx_ident(t, i) && !cxx_takes_group(t, i))
      last = i;
    i = behind ? behind : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, end) : i + 1;
  }
  if (last)
    cxx_name_single(it, last);
}

void cxx_name_variable(const struct cxx_text *t, const struct cxx_shape *d, struct cxx_item *it) {
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
  if (i > it->begin && cxx_ident(t, i - 1))
    cxx_name_single(it, i - 1);
}

/* ---- linkage and effects ---- */

/* Does the ">" at I close the type of a static_cast to a type that is no class? aiter's MoE: `const
 * bool q = 2 == static_cast<int>(QuantType::per_Tensor);` */
static bool closes_cast(const struct cxx_text *t, uint32_t i, uint32_t begin) {
  while (i > begin && (cxx_is_builtin(t, i - 1) || cxx_is(t, i - 1, "const") ||
                       cxx_is(t, i - 1, "std") || cxx_is(t, i - 1, "::")))
    i--;
  return i > begin + 1 && cxx_punct(t, i - 1) == '<' && cxx_is(t, i - 2, "static_cast");
}

bool cxx_has_effects(const struct cxx_text *t, const struct cxx_shape *d, uint32_t begin,
                     uint32_t name) {
  static const char *const asks[] = {"sizeof", "alignof", "noexcept"};
  bool plain = false; /* its type has no constructor */
  for (uint32_t i = begin; i < name; i++)
    plain |= cxx_is_builtin(t, i);
  for (uint32_t i = name; i < d->end; i++) {
    char c = cxx_punct(t, i), before = cxx_punct(t, i - 1);
    if (c == '(' && CXX_ONE_OF(t, i - 1, asks)) { /* nothing of that is evaluated */
      i = cxx_skip_group(t, i, d->end) - 1;
      continue;
    }
    if (c == '(' &&
        (cxx_ident(t, i - 1) || (before && strchr(">})]", before) && !closes_cast(t, i - 1, name))))
      return true;
    if (cxx_is(t, i, "new") || (c == '{' && !plain))
      return true;
  }
  return !d->assign && !plain;
}

bool cxx_const_itself(const struct cxx_text *t, const struct cxx_shape *d, uint32_t name) {
  for (uint32_t i = d->is_const; i < name; i++)
    if (cxx_punct(t, i) == '*' || cxx_punct(t, i) == '&')
      return false;
  return d->is_const && d->is_const <= name;
}

/* ---- parameters ---- */

uint32_t cxx_param_name(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  if (end < begin + 2 || !cxx_ident(t, end - 1) || cxx_is_builtin(t, end - 1) ||
      qualifier(t, end - 1))
    return end;
  bool type = false; /* the words before the last one are a type by themselves */
  for (uint32_t i = begin; i + 1 < end; i++) {
    char c = cxx_punct(t, i);
    if (c == '=' || c == '(' || c == '[')
      return end;
    type |= cxx_ident(t, i) && !qualifier(t, i);
    if (c == '<') {
      uint32_t behind = cxx_skip_angles(t, i, end);
      if (!behind)
        return end;
      i = behind - 1;
    }
  }
  return type && !cxx_is(t, end - 2, "::") ? end - 1 : end;
}

/* Is token I, at the top level of a parenthesised list, one that occurs only in parameter
 * declarations? */
static bool declares_parameter(const struct cxx_text *t, uint32_t i) {
  static const char *const operators[] = {"new", "sizeof", "not", "and", "or", "delete", "alignof"};
  char next = cxx_punct(t, i + 1);
  if ((cxx_is_builtin(t, i) || qualifier(t, i)) && next != '(' && next != '{')
    return true;
  bool value = cxx_ident(t, i) || cxx_punct(t, i) == '>';
  if (value && cxx_ident(t, i + 1))
    return !CXX_ONE_OF(t, i, operators) && !CXX_ONE_OF(t, i + 1, operators);
  if (value && (next == '&' || next == '*' || cxx_is(t, i + 1, "&&")))
    return true;
  return cxx_punct(t, i) == '.' && next == '.';
}

bool cxx_declares_function(const struct cxx_text *t, uint32_t begin, const struct cxx_shape *d,
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
    /* a comparison; later ones are not tried, since each try reads to the end */
    if (c == '<' && !behind)
      return false;
    if (behind && declares_parameter(t, behind - 1))
      return true;
    i = behind                             ? behind
        : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, d->params_end)
                                           : i + 1;
  }
  return false;
}

bool cxx_head_says(const struct cxx_scan *s, const struct cxx_item *it, const char *word) {
  for (uint32_t i = it->begin; i < it->end && cxx_punct(&s->code, i) != '{'; i++)
    if (cxx_is(&s->code, i, word))
      return true;
  return false;
}

bool cxx_is_of_device(const struct cxx_scan *s, const struct cxx_item *it) {
  return cxx_head_says(s, it, "__device__") || cxx_head_says(s, it, "__constant__");
}

bool cxx_renames(const struct cxx_scan *s, const struct cxx_item *it) {
  static const char *const words[] = {"asm", "__asm__", "alias", "__alias__", "ifunc", "weakref"};
  bool renamed = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && it->kind == ITEM_FUNCTION && !renamed; i++)
    renamed = cxx_head_says(s, it, words[i]);
  return renamed;
}
