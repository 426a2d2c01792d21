/* cxxnames.c - see cxxjudge.h. A name is read as it is written; what it means is said by the unit's own items, or not at all. */
#include "cxxdeclarator.h"
#include "cxxjudge.h"

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
    n->in_std = judge_opens_std(j, n->begin) ? n->begin : 0;
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
  static const char *const words[] = {"static",    "thread_local", "const",   "volatile", "constexpr",
                                      "constinit", "inline",       "struct",  "class",    "union",
                                      "enum",      "typename",     "mutable", "auto"};
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
