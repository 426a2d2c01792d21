/* cxxnames.c - see cxxjudge.h. A name is read as it is written. Its meaning comes from the unit's
 * own items; a name that they do not explain is not resolved. */
#include "cxxdeclarator.h"
#include "cxxjudge.h"
#include "cxxarms.h"
#include "cxxmacro.h"

/* Does the unqualified WORD mean that of std, because of `using namespace std;` or `using
 * std::mutex;`? Only if no header can have another of that name in a nearer namespace, and the unit
 * has none. */
static bool opens_std(struct judge *j, uint32_t word);

bool judge_name(struct judge *j, uint32_t i, uint32_t end, struct name *n) {
  const struct cxx_text *t = j->t;
  if (cxx_is(t, i, "::"))
    i++;
  if (!cxx_ident(t, i) || i >= end)
    return false;
  *n = (struct name){.begin = i, .last = i, .end = i + 1};
  for (;;) {
    if (cxx_punct(t, n->end) == '<' && n->end < end && !j->comparison) {
      uint32_t behind = cxx_skip_angles(t, n->end, end);
      j->comparison = !behind;
      if (behind) {
        n->args = n->end + 1;
        n->args_end = behind - 1;
        n->end = behind;
      }
    }
    if (!cxx_is(t, n->end, "::") || !cxx_ident(t, n->end + 1) || n->end + 1 >= end)
      break;
    n->last = n->end + 1;
    n->end += 2;
  }
  if (n->last > n->begin && cxx_is(t, n->begin, "std"))
    n->in_std = n->begin + 2;
  else if (!n->begin || !cxx_is(t, n->begin - 1, "::"))
    n->in_std = opens_std(j, n->begin) ? n->begin : 0;
  return true;
}

bool judge_name_is(const struct judge *j, uint32_t begin, uint32_t last, const char *text) {
  for (uint32_t i = begin; i <= last; i++) {
    const struct cxx_tok *k = &j->t->toks[i];
    if (strncmp(text, j->t->text + k->at, k->len) != 0)
      return false;
    text += k->len;
  }
  return !*text;
}

const struct cxx_std_type *judge_std_type(const struct judge *j, const struct name *n) {
  for (const struct cxx_std_type *type = cxx_std_types; type->name; type++)
    if (judge_name_is(j, n->in_std, n->last, type->name))
      return type;
  return NULL;
}

bool judge_in(const struct judge *j, uint32_t i, const char *const *words) {
  for (; *words; words++)
    if (cxx_is(j->t, i, *words))
      return true;
  return false;
}

uint32_t judge_comma(struct judge *j, uint32_t i, uint32_t end) {
  while (i < end && cxx_punct(j->t, i) != ',' && cxx_punct(j->t, i) != ';') {
    char c = cxx_punct(j->t, i);
    uint32_t behind = c == '(' || c == '[' || c == '{' ? cxx_skip_group(j->t, i, end) : 0;
    if (c == '<' && !j->comparison) {
      behind = cxx_skip_angles(j->t, i, end);
      j->comparison = !behind;
    }
    i = behind ? behind : i + 1;
  }
  return i;
}

bool judge_same(const struct judge *j, uint32_t a, uint32_t b) {
  const struct cxx_tok *x = &j->t->toks[a], *y = &j->t->toks[b];
  return x->len == y->len && memcmp(j->t->text + x->at, j->t->text + y->at, x->len) == 0;
}

const struct cxx_item *judge_own(struct judge *j, uint32_t name, size_t *k) {
  while (*k < j->nitems) {
    const struct cxx_item *it = &j->s->items[(*k)++];
    if (++j->lookups > MAX_LOOKUPS)
      return NULL;
    if (it->name_end > it->name && judge_same(j, it->name_end - 1, name))
      return it;
  }
  return NULL;
}

uint32_t judge_find(const struct judge *j, uint32_t i, uint32_t end, char c) {
  while (i < end && cxx_punct(j->t, i) != c)
    i++;
  return i;
}

bool judge_specifier(const struct judge *j, uint32_t i) {
  static const char *const words[] = {
      "static", "thread_local", "const", "volatile", "constexpr", "constinit", "inline",
      "struct", "class",        "union", "enum",     "typename",  "mutable",   "auto"};
  return CXX_ONE_OF(j->t, i, words);
}

uint32_t judge_declared(struct judge *j, uint32_t begin, uint32_t end) {
  const struct cxx_text *t = j->t;
  bool typed = false; /* a type was read */
  for (uint32_t i = begin; i < end;) {
    char c = cxx_punct(t, i);
    struct name n;
    if (c == '[' && !typed) {
      i = cxx_skip_group(t, i, end);
    } else if (c == '{' && i > begin && !cxx_is(t, i - 1, ")")) {
      typed = true;
      i = cxx_skip_group(t, i, end);
    } else if (cxx_takes_group(t, i) && cxx_punct(t, i + 1) == '(') {
      typed |= cxx_is(t, i, "decltype");
      i = cxx_skip_group(t, i + 1, end);
    } else if (judge_specifier(j, i) || cxx_is_builtin(t, i)) {
      typed |= cxx_is_builtin(t, i) || cxx_is(t, i, "auto");
      i++;
    } else if (c == '*' || c == '&' || cxx_is(t, i, "&&")) {
      i++;
    } else if (typed && cxx_ident(t, i)) {
      return i;
    } else if (judge_name(j, i, end, &n)) {
      typed = true;
      i = n.end;
    } else {
      return end;
    }
  }
  return end;
}

/* ---- the unit's own meaning of a word that stands alone in an initialiser ----
 *
 *     using namespace std;
 *     #define EIGHT 8
 *     static map<string, int> rows{{"a", EIGHT}};
 *
 * A header can give both another meaning, so only places count that a header does not reach. A
 * using-directive at global scope counts for declarations there, where a header's own `map` would
 * make the name ambiguous; in namespace ns, ns::map would hide it. A macro counts if nothing was
 * included since.
 */

/* ---- using ---- */

/* Is SCOPE the namespace of the declaration, or a surrounding one that is separated from it only by
 * unnamed namespaces? */
static bool is_scope_of(const struct judge *j, int scope) {
  int s = j->s->items[j->nitems].scope;
  while (s != scope && s > 0 && j->s->scopes[s].name == j->s->scopes[s].name_end)
    s = j->s->scopes[s].parent;
  return s == scope;
}

/* Is it a name of std that does not only name a function? */
static bool is_known(const struct judge *j, uint32_t word) {
  static const char *const others[] = {"chrono", "numeric_limits", "nullopt", NULL};
  const struct cxx_tok *k = &j->t->toks[word];
  if (judge_in(j, word, others) ||
      (k->len > 13 && memcmp(j->t->text + k->at, "memory_order_", 13) == 0))
    return true;
  return judge_std_type(j, &(struct name){.begin = word, .last = word, .in_std = word}) != NULL;
}

/* Does IT, a using of the unit, open std for WORD? */
static bool opens(const struct judge *j, const struct cxx_item *it, uint32_t word) {
  const struct cxx_text *t = j->t;
  if (it->arm && it->arm != j->s->items[j->nitems].arm)
    return false;
  if (cxx_is(t, it->begin + 1, "namespace"))
    return it->scope == 0 && it->end == it->begin + 4 && cxx_is(t, it->begin + 2, "std");
  for (uint32_t i = it->begin + 1; i + 3 < it->end; i++) /* using std::mutex, std::map; */
    if (cxx_is(t, i, "std") && cxx_is(t, i + 1, "::") && judge_same(j, i + 2, word) &&
        !cxx_is(t, i - 1, "::") && (cxx_punct(t, i + 3) == ',' || cxx_punct(t, i + 3) == ';'))
      return true;
  return false;
}

static bool opens_std(struct judge *j, uint32_t word) {
  bool found = false;
  size_t any = 0;
  if (j->opens < 0 || (j->lookups += j->opens ? j->nitems : 0) > MAX_LOOKUPS)
    return false;
  j->opens = -1;
  for (size_t k = 0; k < j->nitems; k++) {
    const struct cxx_item *it = &j->s->items[k];
    if (it->kind != ITEM_USING || !cxx_is(j->t, it->begin, "using"))
      continue;
    j->opens = 1;
    found = found || (is_scope_of(j, it->scope) && opens(j, it, word));
  }
  return found && is_known(j, word) && !judge_own(j, word, &any);
}

/* ---- macros ---- */

/* Read the macro called NAME, N bytes: defined once before the declaration, always, and nothing
 * included since. */
static bool own_macro(const struct judge *j, const char *name, size_t n, struct cxx_macro *m) {
  const struct cxx_item *declared = &j->s->items[j->nitems];
  bool found = false;
  *m = (struct cxx_macro){0};
  for (uint32_t i = 0; i < declared->begin; i++) {
    const struct cxx_tok *k = &j->t->toks[i];
    size_t len;
    const char *word = k->kind == TOK_DIRECTIVE ? cxx_directive(j->t, k, &len) : "";
    struct cxx_macro other;
    if (!*word || cxx_word_is(word, len, "pragma") || cxx_word_is(word, len, "line"))
      continue;
    if (!cxx_word_is(word, len, "define") && !cxx_word_is(word, len, "undef")) {
      cxx_macro_free(m);
      found = false; /* a header may define it again */
      continue;
    }
    if (!cxx_macro_read(&other, word, (size_t)(j->t->text + k->at + k->len - word))) {
      cxx_macro_free(m);
      return false;
    }
    if (!cxx_is_n(&other.line, 1, name, n)) {
      cxx_macro_free(&other);
      continue;
    }
    found = !m->line.toks && cxx_word_is(word, len, "define") &&
            (!j->s->arm_of[i] || j->s->arm_of[i] == declared->arm);
    cxx_macro_free(m);
    *m = other;
  }
  if (!found)
    cxx_macro_free(m);
  return found;
}

static bool is_literal(const struct cxx_text *t, uint32_t i) {
  const struct cxx_tok *k = &t->toks[i];
  if (k->kind == TOK_NUMBER)
    return !memchr(t->text + k->at, '_', k->len);
  return (k->kind == TOK_STRING || k->kind == TOK_CHAR) &&
         (i + 1 == t->n || t->toks[i + 1].space || !cxx_ident(t, i + 1));
}

static bool is_parameter(const struct cxx_macro *m, uint32_t word) {
  const struct cxx_tok *k = &m->line.toks[word];
  for (uint32_t i = m->params; i < m->params_end; i++)
    if (cxx_is_n(&m->line, i, m->line.text + k->at, k->len))
      return true;
  return false;
}

/* Does the macro called NAME, N bytes, contain only literals? PARAMS: one with parameters. */
static bool macro_ok(struct judge *j, const char *name, size_t n, bool params) {
  static const char *const words[] = {"true", "false", "nullptr", "sizeof", NULL};
  struct cxx_macro m;
  if (++j->depth > MAX_DEPTH ||
      (j->lookups += 1 + j->s->items[j->nitems].begin / 16) > MAX_LOOKUPS ||
      !own_macro(j, name, n, &m))
    return false;
  const struct cxx_text *t = &m.line;
  bool ok = (m.params != 0) == params && !m.variadic;
  for (uint32_t i = m.params ? m.params_end + 1 : 2; i < t->n && ok; i++) {
    struct judge line = {.t = t};
    if (cxx_ident(t, i))
      ok = is_parameter(&m, i) || cxx_is_builtin(t, i) || judge_in(&line, i, words) ||
           judge_in(&line, i, cxx_std_macros) ||
           macro_ok(j, t->text + t->toks[i].at, t->toks[i].len, cxx_punct(t, i + 1) == '(');
    else
      ok = t->toks[i].kind == TOK_PUNCT ? cxx_punct(t, i) != '#' : is_literal(t, i);
  }
  cxx_macro_free(&m);
  j->depth--;
  return ok;
}

bool judge_macro(struct judge *j, uint32_t word) {
  static const char *const before[] = {"return", "case", "else", "not", "and", "or", NULL};
  const struct cxx_tok *k = &j->t->toks[word];
  char c = word ? cxx_punct(j->t, word - 1) : 0;
  if (c == ')' || c == ']' || (word && cxx_ident(j->t, word - 1) && !judge_in(j, word - 1, before)))
    return false; /* `now CALL`, where CALL is () */
  return macro_ok(j, j->t->text + k->at, k->len, cxx_punct(j->t, word + 1) == '(');
}
