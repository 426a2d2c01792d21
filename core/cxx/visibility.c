/* visibility.c - see visibility.h. */
#include "visibility.h"
#include "cxxwords.h"

#include "cxxdeclarator.h"

bool visibility_in_capitals(const char *word) {
  return *word && word[strspn(word, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] == 0;
}

/* The value of the attribute visibility at token I; NULL: it is none. */
static const char *value_of(const struct cxx_text *t, uint32_t i) {
  if (!cxx_is(t, i, "visibility") || cxx_punct(t, i + 1) != '(')
    return NULL;
  return cxx_is(t, i + 2, SHOWN_WORD)                                        ? SHOWN_WORD
         : cxx_is(t, i + 2, HIDDEN_WORD) || cxx_is(t, i + 2, "\"internal\"") ? HIDDEN_WORD
                                                                             : NULL;
}

/* Is token I the attribute visibility, or a word in capitals that may be a macro for it, as in
 * `API int f();` and `namespace a API {`? */
static bool is_mark(const struct cxx_text *t, uint32_t i) {
  if (cxx_is(t, i, "visibility"))
    return value_of(t, i);
  char next = cxx_punct(t, i + 1);
  bool last =
      i && (next == '{' || next == ';') && (cxx_ident(t, i - 1) || cxx_punct(t, i - 1) == ')');
  bool capitals = cxx_ident(t, i) && t->toks[i].len > 1 && (cxx_ident(t, i + 1) || last);
  autofree char *word = capitals ? cxx_spelling(t, i) : NULL;
  return word && visibility_in_capitals(word);
}

/* The word that the declaration with the mark I declares: the last one before its parameters or
 * body; t->n: there is none. */
static uint32_t marked_word(const struct cxx_text *t, uint32_t i) {
  uint32_t word = t->n, k = i + 1;
  while (cxx_is(t, i, "visibility") &&
         (t->toks[k].kind == TOK_STRING || (cxx_punct(t, k) && strchr("()]", cxx_punct(t, k)))))
    k++;
  for (; k < t->n && !strchr("({;:=", cxx_punct(t, k) ? cxx_punct(t, k) : 'x');) {
    uint32_t behind = cxx_punct(t, k) == '<' ? cxx_skip_angles(t, k, t->n) : 0;
    word = cxx_ident(t, k) ? k : word;
    k = behind ? behind : cxx_takes_group(t, k) ? cxx_skip_group(t, k + 1, t->n) : k + 1;
  }
  /* int f(int) __attribute__((visibility("default"))); and namespace a __attribute__((…)) { */
  for (uint32_t back = i, depth = 0; word == t->n && back > 0; back--) {
    char c = cxx_punct(t, back - 1);
    depth = c == ')' ? depth + 1 : c == '(' && depth ? depth - 1 : depth;
    if (!depth && c && strchr(";{}", c))
      break;
    if (!depth && cxx_ident(t, back - 1) && !cxx_takes_group(t, back - 1) &&
        !cxx_is_builtin(t, back - 1))
      word = back - 1;
  }
  return word;
}

void visibility_marks(struct argv *marked, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    const struct cxx_tok *tok = &t->toks[i];
    if (tok->kind == TOK_DIRECTIVE && memmem(t->text + tok->at, tok->len, "visibility push(", 16))
      argv_add(marked, memmem(t->text + tok->at, tok->len, "(default)", 9) ? "* #pragma"
                                                                           : "* " HIDDEN_WORD);
    if (!is_mark(t, i))
      continue;
    uint32_t word = marked_word(t, i);
    const char *value = value_of(t, i);
    if (word < t->n)
      argv_addf(marked, "%.*s %.*s", (int)t->toks[word].len, t->text + t->toks[word].at,
                value ? (int)strlen(value) : (int)tok->len, value ? value : t->text + tok->at);
  }
}

bool visibility_may_hide(const char *text) {
  static const char *const macros[] = {"HIDDEN", "LOCAL", "INTERNAL", "NO_EXPORT"};
  bool may = false;
  for (struct cxx_word w = cxx_word(text); w.n && !may; w = cxx_word(w.p + w.n)) {
    /* visibility("hidden"), and #pragma GCC visibility push(hidden) */
    bool argument = w.p > text && (w.p[-1] == '"' || w.p[-1] == '(');
    may = argument &&
          ((w.n == 6 && !memcmp(w.p, "hidden", 6)) || (w.n == 8 && !memcmp(w.p, "internal", 8)));
    if (may || *w.p >= 'a')
      continue;
    autofree char *word = xstrndup(w.p, w.n);
    for (size_t i = 0; i < sizeof macros / sizeof *macros && !may; i++)
      may = visibility_in_capitals(word) && str_ends(word, macros[i]);
  }
  return may;
}
