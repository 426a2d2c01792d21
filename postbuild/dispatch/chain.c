/* chain.c - chains of conditions, read from tokens.
 *
 * CK's generators write `if (…) {…} else if (…) {…}`, the same nested, and `if (…) { …; return …;
 * }` one after the other. A statement is read only as far as a chain needs it: where it ends, and
 * whether it leaves the function, that is, ends in return or throw on every path. The second form
 * is a chain only if each branch leaves the function: otherwise a later condition would be
 * evaluated after an earlier branch.
 *
 * There is no grammar of C++ here. A form that is not clear from the tokens reads as 0, "not
 * understood", and the chain stays as it is.
 */
#include "chain.h"

#include "core/base/vec.h"

static bool plain_if(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "if") && punct(t, i + 1, '(');
}

bool chain_begins(const struct cxx_text *t, uint32_t i) {
  return plain_if(t, i) && i && (punct(t, i - 1, '{') || punct(t, i - 1, '}') || punct(t, i - 1, ';'));
}

/* ---- statements ---- */

static uint32_t skip_attributes(const struct cxx_text *t, uint32_t i, uint32_t end) {
  while (punct(t, i, '[') && punct(t, i + 1, '['))
    i = cxx_skip_group(t, i, end);
  return i;
}

/* Returns the index after the ; of the simple statement at I; 0 if there is none before END. */
static uint32_t skip_simple(const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    if (punct(t, i, ';'))
      return i + 1;
    if (punct(t, i, '(') || punct(t, i, '[') || punct(t, i, '{'))
      i = cxx_skip_group(t, i, end) - 1;
    else if (punct(t, i, '}'))
      break;
  }
  return 0;
}

/* Returns the index after the statement at I; 0 if that is not clear. *LEAVES: every path through
 * it ends in return or throw. */
static uint32_t statement(const struct cxx_text *t, uint32_t i, uint32_t end, bool *leaves) {
  static const char *const loops[] = {"for", "while", "switch"};
  static const char *const other[] = {"do", "try", "case", "default", "else", "catch", "goto"};
  *leaves = false;
  if (i >= end || t->toks[i].kind == TOK_DIRECTIVE || TEXT_WORD(t, i, other))
    return 0;
  if (punct(t, i, '{')) {
    uint32_t behind = cxx_skip_group(t, i, end);
    for (i++; i && i + 1 < behind;)
      i = statement(t, i, behind - 1, leaves);
    return i ? behind : 0;
  }
  if (TEXT_WORD(t, i, loops)) {
    bool body;
    return punct(t, i + 1, '(') ? statement(t, cxx_skip_group(t, i + 1, end), end, &body) : 0;
  }
  if (cxx_is(t, i, "if")) {
    bool then = false, otherwise = false;
    uint32_t open = i + (cxx_is(t, i + 1, "constexpr") ? 2 : 1);
    if (!punct(t, open, '('))
      return 0;
    i = statement(t, skip_attributes(t, cxx_skip_group(t, open, end), end), end, &then);
    if (i && cxx_is(t, i, "else"))
      i = statement(t, skip_attributes(t, i + 1, end), end, &otherwise);
    *leaves = then && otherwise;
    return i;
  }
  *leaves = cxx_is(t, i, "return") || cxx_is(t, i, "throw");
  return skip_simple(t, i, end);
}

static bool body_leaves(const struct cxx_text *t, struct range body) {
  bool leaves = false;
  uint32_t i = body.begin;
  while (i && i < body.end)
    i = statement(t, i, body.end, &leaves);
  return i && leaves;
}

/* ---- chains ---- */

static struct branch *add(struct chain *c, struct range cond) {
  vec_push(c->branches, c->n, (struct branch){.cond = cond});
  return &c->branches[c->n - 1];
}

/* Reads the body at I into B: {…}, or one simple statement. Returns the index after it; 0 if it has
 * another form. */
static uint32_t read_body(struct chain *c, struct branch *b, const struct cxx_text *t, uint32_t i,
                          uint32_t end) {
  static const char *const compound[] = {"if", "for", "while", "do", "switch", "try", "else", "goto"};
  i = skip_attributes(t, i, end);
  uint32_t behind;
  if (punct(t, i, '{')) {
    behind = cxx_skip_group(t, i, end);
    b->body = (struct range){i + 1, behind - 1};
    if (!punct(t, behind - 1, '}'))
      return 0;
  } else {
    if (TEXT_WORD(t, i, compound) || !(behind = skip_simple(t, i, end)))
      return 0;
    b->body = (struct range){i, behind};
  }
  if (plain_if(t, b->body.begin))
    b->inner = chain_read(t, b->body.begin, b->body.end);
  if (b->inner && b->inner->end != b->body.end) {
    chain_free(b->inner);
    b->inner = NULL;
  }
  c->rows += b->inner ? b->inner->rows + !b->inner->has_else : 1;
  c->leaves = c->leaves && (b->inner ? b->inner->has_else && b->inner->leaves : body_leaves(t, b->body));
  return behind;
}

/* Reads from the `if` at I to the end of its last else. Returns the index after that; 0 if it has
 * another form. */
static uint32_t read_ifs(struct chain *c, const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (;;) {
    uint32_t close = cxx_skip_group(t, i + 1, end);
    if (!punct(t, close - 1, ')') || close >= end)
      return 0;
    i = read_body(c, add(c, (struct range){i + 2, close - 1}), t, close, end);
    if (!i || !cxx_is(t, i, "else") || i >= end)
      return i;
    i++;
    if (!plain_if(t, i)) {
      if (cxx_is(t, i, "if"))
        return 0;
      c->has_else = true;
      return read_body(c, add(c, (struct range){i, i}), t, i, end);
    }
  }
}

struct chain *chain_read(const struct cxx_text *t, uint32_t i, uint32_t end) {
  struct chain *c = xcalloc(1, sizeof *c);
  c->begin = i;
  c->leaves = true;
  do
    i = read_ifs(c, t, i, end);
  while (i && i < end && plain_if(t, i) && !c->has_else && c->leaves);
  c->end = i;
  if (!i) {
    chain_free(c);
    return NULL;
  }
  return c;
}

void chain_free(struct chain *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->n; i++)
    chain_free(c->branches[i].inner);
  free(c->branches);
  free(c);
}
