/* headernames.c - see headernames.h. */
#include "headernames.h"

#include "cxxdeclarator.h"
#include "definitions.h"
#include "visibility.h"

/* Is token I of T a number or a null pointer? No address of a function is equal to it. */
static bool is_no_address(const struct cxx_text *t, uint32_t i) {
  return i < t->n &&
         (t->toks[i].kind == TOK_NUMBER || cxx_is(t, i, "nullptr") || cxx_is(t, i, "NULL"));
}

/* Does T declare a variable or a parameter with the word of token I, `float distance = …`? */
static bool is_variable(const struct cxx_text *t, uint32_t i) {
  static const char *const behind[] = {"=", ";", "{", ",", ")", "["};
  for (uint32_t k = 1; k + 1 < t->n; k++)
    if (cxx_is_n(t, k, t->text + t->toks[i].at, t->toks[i].len) && CXX_ONE_OF(t, k + 1, behind) &&
        ((cxx_ident(t, k - 1) && !cxx_is(t, k - 1, "return")) || cxx_punct(t, k - 1) == '>' ||
         cxx_punct(t, k - 1) == '*'))
      return true;
  return false;
}

/* Is token I of T a word that is used as a value? */
static bool is_value(const struct cxx_text *t, uint32_t i, bool compared) {
  static const char *const before[] = {"==", "!=", "&", "(",  ",",  "{", "return",
                                       "?",  ":",  "=", "&&", "||", "!"};
  static const char *const behind[] = {"==", "!=", ")", ",", ";", "}", "?", ":", "&&", "||"};
  static const char *const other[] = {"(", "[", "::", ".", "->"};
  bool first = i == 0, last = i + 1 == t->n;
  if (!cxx_ident(t, i) || cxx_is_builtin(t, i) || is_no_address(t, i))
    return false;
  uint32_t b = i;
  while (b > 1 && cxx_is(t, b - 1, "::"))
    b -= cxx_ident(t, b - 2) ? 2 : 1;
  b -= b > 1 && cxx_punct(t, b - 1) == '&' && !cxx_ident(t, b - 2);
  if (compared) {
    /* f<1> == p; but n == f<1>(x) compares what a call returns */
    uint32_t angles = cxx_punct(t, i + 1) == '<' ? cxx_skip_angles(t, i + 1, t->n) : 0,
             k = angles ? angles : i + 1;
    if (CXX_ONE_OF(t, k, other))
      return false;
    bool left = cxx_is(t, k, "==") || cxx_is(t, k, "!="),
         right = b && (cxx_is(t, b - 1, "==") || cxx_is(t, b - 1, "!="));
    return ((left && !is_no_address(t, k + 1)) || (right && !(b > 1 && is_no_address(t, b - 2)))) &&
           !is_variable(t, i);
  }
  return (first || (b && CXX_ONE_OF(t, b - 1, before))) && (last || CXX_ONE_OF(t, i + 1, behind));
}

static void add_named(struct argv *named, const struct cxx_text *t, bool compared) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->toks[i].kind == TOK_DIRECTIVE) {
      struct cxx_text line;
      cxx_lex(&line, t->text + t->toks[i].at + 1, t->toks[i].len - 1);
      if (cxx_is(&line, 0, "define"))
        add_named(named, &line, compared);
      cxx_text_free(&line);
    } else if (is_value(t, i, compared)) {
      argv_add_own(named, cxx_spelling(t, i));
    }
}

void header_names_values(struct argv *named, const char *text, size_t len, bool compared) {
  struct cxx_text t;
  cxx_lex(&t, text, len);
  add_named(named, &t, compared);
  cxx_text_free(&t);
}

/* Does the head of IT contain a word that a macro may replace, such as `inline` or `extern`? */
static bool head_has_macro(const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  bool macro = false;
  for (uint32_t i = it->begin;
       i < it->end && cxx_punct(t, i) != '{' && cxx_punct(t, i) != '=' && !macro; i++) {
    const char *word = t->text + t->toks[i].at;
    macro = cxx_ident(t, i) && t->toks[i].len > 1 && i + 1 < it->end && cxx_ident(t, i + 1);
    for (uint32_t k = 0; k < t->toks[i].len && macro; k++)
      macro = word[k] == '_' || (word[k] >= 'A' && word[k] <= 'Z') ||
              (word[k] >= '0' && word[k] <= '9');
  }
  return macro;
}

/* Is IT, which is not understood, a variable with arguments for its constructor, such as `static
 * registrar r("name", f);`? One of them begins with what begins no type. */
static bool is_constructed(const struct cxx_scan *s, const struct cxx_item *it) {
  static const char *const words[] = {"nullptr", "true", "false", "this", "new", "sizeof"};
  const struct cxx_text *t = &s->code;
  uint32_t open = it->begin;
  while (open < it->end && cxx_punct(t, open) != '(' && cxx_punct(t, open) != '{')
    open++;
  if (it->kind != ITEM_UNKNOWN || it->rule != RULE_DECLARATOR || open <= it->begin + 1 ||
      open >= it->end || cxx_punct(t, open) != '(' || !cxx_ident(t, open - 1) ||
      cxx_punct(t, it->end - 1) != ';')
    return false;
  /* FORMAT(3, 4) void f(…); is a macro and a declaration. */
  uint32_t behind = cxx_skip_group(t, open, it->end);
  if (cxx_punct(t, behind) != ';' && cxx_punct(t, behind) != ',')
    return false;
  for (uint32_t i = open + 1; i < it->end; i++) {
    const struct cxx_tok *tok = &t->toks[i];
    char before = cxx_punct(t, i - 1);
    if (before != '(' && before != ',')
      continue;
    if (tok->kind == TOK_STRING || tok->kind == TOK_NUMBER || tok->kind == TOK_CHAR ||
        cxx_punct(t, i) == '&' || cxx_punct(t, i) == '-' || cxx_punct(t, i) == '!' ||
        cxx_punct(t, i) == '{' || CXX_ONE_OF(t, i, words))
      return true;
  }
  return false;
}

static void add_text(struct argv *texts, const struct cxx_text *t, const struct cxx_item *it) {
  struct buf text = {0};
  cxx_render(t, it->begin, it->end, &text);
  buf_putc(&text, '\n');
  argv_add_own(texts, text.data);
}

/* Is IT, or has it, a variable that any unit may have? */
static bool is_inline(const struct cxx_scan *s, const struct cxx_item *it) {
  bool is = false;
  for (uint32_t i = it->begin; i < it->end && !is; i++)
    is = cxx_is(&s->code, i, "inline");
  return is;
}

/* Why does IT, in a header, keep its units with the library? RULE_NONE: it does not. */
static enum rule keeps_in_header(const struct cxx_scan *s, const struct cxx_item *it) {
  if (cxx_renames(s, it))
    return RULE_ASM;
  if (is_constructed(s, it))
    return RULE_INITIALISER;
  bool with_effects = it->rule == RULE_INITIALISER || it->rule == RULE_CLASS_VARIABLE ||
                      it->rule == RULE_ASM ||
                      (it->rule == RULE_VARIABLE && !(it->quiet && is_inline(s, it)) &&
                       !cxx_head_says(s, it, "typedef"));
  return it->kind == ITEM_EXTERNAL && with_effects && !cxx_is_of_device(s, it) ? it->rule
                                                                               : RULE_NONE;
}

/* Is what makes S odd its last declaration, in which a macro may hide the end? */
static bool is_unclear_to_end(const struct cxx_scan *s) {
  const struct cxx_item *last = s->nitems ? &s->items[s->nitems - 1] : NULL;
  return last && last->kind == ITEM_UNKNOWN && last->end == s->code.n;
}

bool header_names_read(struct header_names *h, const char *text, size_t len, bool expanded,
                       struct reason *why) {
  struct cxx_scan s;
  enum rule kept = RULE_NONE;
  cxx_scan(&s, text, len);
  add_named(&h->named, &s.code, false);
  visibility_marks(&h->marked, &s.code);
  h->doubt |= s.odd && !expanded && !is_unclear_to_end(&s);
  if (s.odd && expanded) {
    *why = (struct reason){.rule = RULE_NOT_READ, .line = s.odd_line};
    reason_text(why, s.odd, strlen(s.odd));
    kept = RULE_NOT_READ;
  }
  for (size_t i = 0; i < s.nitems; i++) {
    const struct cxx_item *it = &s.items[i];
    bool named = it->name_end > it->name;
    definitions_add_extern(&h->externs, &s, it);
    bool host = !cxx_head_says(&s, it, "__device__") || cxx_head_says(&s, it, "__host__");
    if (named && host && (it->kind == ITEM_FUNCTION || it->kind == ITEM_TEMPLATE) &&
        cxx_punct(&s.code, it->end - 1) == '}')
      argv_add_own(&h->copied, cxx_spelling(&s.code, it->name_end - 1));
    if (it->kind == ITEM_SPECIALISATION || it->kind == ITEM_INSTANTIATION ||
        (it->kind == ITEM_EXTERNAL && it->rule == RULE_FUNCTION && named)) {
      argv_add_own(&h->functions, cxx_spelling(&s.code, it->name_end - 1));
      continue;
    }
    enum rule rule = keeps_in_header(&s, it);
    bool clear = expanded || (!s.odd && !it->arm && !head_has_macro(&s, it));
    if (rule == RULE_NONE && it->kind == ITEM_UNKNOWN && expanded)
      rule = it->rule;
    else if (rule == RULE_NONE && it->kind == ITEM_UNKNOWN)
      add_text(&h->unclear, &s.code, it);
    h->doubt |= rule != RULE_NONE && !clear;
    h->runs |= rule != RULE_NONE && rule != RULE_ASM && clear && is_inline(&s, it);
    if (rule == RULE_NONE || !clear || kept != RULE_NONE)
      continue;
    cxx_scan_show(&s, it, why);
    why->rule = kept = rule;
  }
  cxx_scan_free(&s);
  return kept != RULE_NONE;
}

void header_names_free(struct header_names *h) {
  argv_free(&h->functions);
  argv_free(&h->copied);
  argv_free(&h->externs);
  argv_free(&h->named);
  argv_free(&h->marked);
  argv_free(&h->unclear);
}
