#include "text.h"

bool text_word(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (cxx_is(t, i, words[k]))
      return true;
  return false;
}

bool text_plain(const struct cxx_scan *s, struct range r) {
  for (uint32_t i = r.begin; i < r.end; i++)
    if (s->arm_of[i] != s->arm_of[r.begin] || s->code.toks[i].kind == TOK_DIRECTIVE)
      return false;
  return true;
}

bool text_same(const struct cxx_text *t, struct range a, struct range b) {
  if (a.end - a.begin != b.end - b.begin)
    return false;
  for (uint32_t i = 0; i < a.end - a.begin; i++)
    if (!same_tok(t, a.begin + i, b.begin + i))
      return false;
  return true;
}

void text_put(const struct cxx_text *t, uint32_t i, struct buf *out) {
  buf_add(out, t->text + t->toks[i].at, t->toks[i].len);
}

bool text_joins(const struct cxx_text *t, uint32_t i) {
  const struct cxx_tok *a = &t->toks[i], *b = &t->toks[i + 1];
  bool words = a->kind != TOK_PUNCT && b->kind != TOK_PUNCT;
  return words || (a->kind == TOK_PUNCT && b->kind == TOK_PUNCT && b->space);
}

void text_canonical(const struct cxx_text *t, uint32_t begin, uint32_t end, struct buf *out) {
  for (uint32_t i = begin; i < end; i++) {
    text_put(t, i, out);
    if (i + 1 < end && text_joins(t, i))
      buf_putc(out, ' ');
  }
  buf_add(out, "", 0);
}

char *text_copy(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  struct buf b = {0};
  text_canonical(t, begin, end, &b);
  return b.data;
}

bool text_equality(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "==") || cxx_is(t, i, "!=");
}

bool text_lambda(const struct cxx_text *t, uint32_t i) {
  static const char *const before[] = {"return", "co_return", "co_yield", "else", "do", "case", "throw"};
  if (!punct(t, i, '[') || punct(t, i + 1, '[') || (i && punct(t, i - 1, '[')))
    return false;
  if (punct(t, i + 1, '&') || punct(t, i + 1, '=') || punct(t, i + 1, ']') || !i)
    return true;
  if (ident(t, i - 1))
    return TEXT_WORD(t, i - 1, before);
  return !punct(t, i - 1, ')') && !punct(t, i - 1, ']') && !punct(t, i - 1, '>');
}

/* Returns the index after the body of the lambda whose [ is at I; 0 if it has none before END. */
static uint32_t lambda_end(const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (i = cxx_skip_group(t, i, end); i < end; i++) {
    if (punct(t, i, '{'))
      return cxx_skip_group(t, i, end);
    if (punct(t, i, '('))
      i = cxx_skip_group(t, i, end) - 1;
    else if (punct(t, i, ';') || punct(t, i, ')') || punct(t, i, '}'))
      break;
  }
  return 0;
}

/* Adds the names that the lambda at I must capture for the holes in it. HOLES are those after I.
 * [=] captures them anyway. */
static void captures(const struct cxx_text *t, uint32_t i, uint32_t end, const struct hole *holes, size_t n,
                     struct argv *names) {
  uint32_t behind = punct(t, i + 1, '=') ? 0 : lambda_end(t, i, end);
  for (size_t k = 0; k < n && holes[k].begin < behind; k++)
    for (size_t j = 0; j < holes[k].names.n; j++)
      if (!argv_has(names, holes[k].names.args[j]))
        argv_add(names, holes[k].names.args[j]);
}

void text_fill(const struct cxx_text *t, struct range r, const struct hole *holes, size_t n,
               struct buf *out) {
  /* of the introducer that is being written; introducers do not nest here */
  autofree_argv pending = {0};
  uint32_t close = 0;
  size_t next = 0;
  for (uint32_t i = r.begin; i < r.end; i++) {
    if (i > r.begin && t->toks[i].space)
      buf_putc(out, ' ');
    if (next < n && holes[next].begin == i) {
      buf_puts(out, holes[next].text);
      i = holes[next++].end - 1;
      continue;
    }
    if (text_lambda(t, i)) {
      argv_free(&pending);
      captures(t, i, r.end, holes + next, n - next, &pending);
      close = cxx_skip_group(t, i, r.end) - 1;
    } else if (i == close && pending.n) {
      for (size_t k = 0; k < pending.n; k++)
        buf_printf(out, "%s%s", k || !punct(t, i - 1, '[') ? ", " : "", pending.args[k]);
      argv_free(&pending);
    }
    text_put(t, i, out);
    if (t->toks[i].kind == TOK_DIRECTIVE)
      buf_putc(out, '\n');
  }
}

void holes_free(struct hole *holes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(holes[i].text);
    argv_free(&holes[i].names);
  }
}

bool text_declares(const struct cxx_text *t, uint32_t i) {
  static const char *const not_types[] = {"return", "else", "throw",    "new",
                                          "case",   "goto", "typename", "using"};
  if (!i || !ident(t, i))
    return false;
  bool typed = (ident(t, i - 1) && !TEXT_WORD(t, i - 1, not_types)) || punct(t, i - 1, '>') ||
               punct(t, i - 1, '&') || punct(t, i - 1, '*') || cxx_is(t, i - 1, "&&") || punct(t, i - 1, ',');
  char next = cxx_punct(t, i + 1);
  return typed && (next == '=' || next == '{' || next == '(');
}

bool text_takes_address(const struct cxx_text *t, uint32_t i) {
  return punct(t, i - 1, '&') && !ident(t, i - 2) && !punct(t, i - 2, ')') && !punct(t, i - 2, ']') &&
         t->toks[i - 2].kind == TOK_PUNCT;
}
