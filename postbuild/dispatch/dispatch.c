/* dispatch.c - a dispatcher's text, rewritten: what is copied, and what is written anew.
 *
 * The text is walked once, in order. Helpers and chains are the places where something else is
 * written; all between them is copied byte for byte. Chains within a helper stay as they are. If no
 * chain becomes a table, everything is written again without the tables' prelude: the headers that
 * it includes could be missed.
 */
#include "dispatch.h"

#include "emit.h"

/* ---- rewriting ---- */

enum {
  /* fewer branches are cheaper as they are */
  ROWS_MIN = 4,
  /* A chain within a chain becomes part of the outer one's table if the whole is small: the outer
   * conditions are then conditions of rows like the others. If it is large they stay code, so that
   * a call looks only at the rows that they guard. */
  ROWS_TOGETHER = 64,
  ROWS_A_BRANCH = 8,
};

struct rewrite {
  struct buf *out;
  const struct cxx_scan *s;
  const struct functions *f;
  const struct helpers *hs;
  struct dispatch_stats *stats;
  size_t copied; /* bytes of the text */
};

static void copy_to(struct rewrite *w, size_t at) {
  if (at <= w->copied)
    return;
  buf_add(w->out, w->s->code.text + w->copied, at - w->copied);
  w->copied = at;
}

/* Copying continues after token LAST. The lines there keep their numbers: assertions and messages
 * show them. */
static void resume(struct rewrite *w, uint32_t last) {
  const struct cxx_tok *tok = &w->s->code.toks[last];
  w->copied = tok->at + tok->len;
  buf_printf(w->out, "\n#line %u\n", tok->line);
}

/* Tables in place of the chains that begin in [BEGIN, END). */
static void rewrite_chains(struct rewrite *w, uint32_t begin, uint32_t end);

static bool write_table(struct rewrite *w, const struct chain *c) {
  bool together = c->rows <= ROWS_TOGETHER || c->rows <= ROWS_A_BRANCH * c->n;
  if (c->rows < ROWS_MIN || !together)
    return false;
  struct table t;
  bool ok = table_read(&t, c, w->s, w->f, w->hs);
  if (ok) {
    copy_to(w, w->s->code.toks[c->begin].at);
    buf_putc(w->out, '\n');
    emit_table(w->out, &t, c, w->stats->tables);
    resume(w, c->end - 1);
    w->stats->tables++;
    w->stats->rows += t.nrows;
  }
  table_free(&t);
  return ok;
}

static void rewrite_chains(struct rewrite *w, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (!chain_begins(&w->s->code, i))
      continue;
    struct chain *c = chain_read(&w->s->code, i, end);
    if (!c)
      continue;
    if (!write_table(w, c))
      for (size_t k = 0; k < c->n; k++)
        rewrite_chains(w, c->branches[k].body.begin, c->branches[k].body.end);
    i = c->end - 1;
    chain_free(c);
  }
}

/* The tables' prelude goes after the includes at the head of the file: it includes standard
 * headers, and the file's own includes may define macros for these, so they must come first. */
static void put_prelude(struct rewrite *w) {
  const struct cxx_item *last = NULL;
  for (size_t i = 0; i < w->s->nitems && w->s->items[i].kind <= ITEM_DIRECTIVE; i++)
    if (w->s->items[i].kind == ITEM_INCLUDE && w->s->items[i].arm == 0)
      last = &w->s->items[i];
  if (last) {
    const struct cxx_tok *tok = &w->s->code.toks[last->end - 1];
    copy_to(w, tok->at + tok->len);
  }
  buf_putc(w->out, '\n');
  buf_puts(w->out, emit_prelude);
  if (last)
    resume(w, last->end - 1);
  else
    buf_puts(w->out, "#line 1\n");
}

static void rewrite_helper(struct rewrite *w, const struct helper *h) {
  copy_to(w, w->s->code.toks[h->begin].at);
  helper_write(h, w->out);
  resume(w, h->end - 1);
  w->stats->helpers++;
}

/* Rewrite the helpers from number FIRST on, which are this text's own, and with TABLES the chains
 * between them. */
static void rewrite(struct rewrite *w, size_t first, bool tables) {
  uint32_t done = 0;
  *w->stats = (struct dispatch_stats){0};
  w->copied = 0;
  if (tables)
    put_prelude(w);
  for (size_t i = first; i < w->hs->n; i++) {
    const struct helper *h = &w->hs->all[i];
    if (tables)
      rewrite_chains(w, done, h->begin);
    rewrite_helper(w, h);
    done = h->end;
  }
  if (tables)
    rewrite_chains(w, done, w->s->code.n);
}

void dispatch_rewrite(struct buf *out, const char *text, size_t len, const struct functions *f,
                      struct helpers *headers, enum dispatch_level level, struct dispatch_stats *stats) {
  struct cxx_scan s;
  struct helpers own = {0}, *hs = headers ? headers : &own;
  size_t first = hs->n;
  cxx_scan(&s, text, len);
  struct rewrite w = {.out = out, .s = &s, .f = f, .hs = hs, .stats = stats};
  size_t start = out->len;
  helpers_check(hs, &s.code);
  if (!s.odd && level >= DISPATCH_ERASED)
    helpers_find(hs, &s, f, false);
  rewrite(&w, first, level >= DISPATCH_TABLES && !s.odd);
  if (!stats->tables) { /* then without the prelude, whose headers could be missed */
    out->len = start;
    rewrite(&w, first, false);
  }
  copy_to(&w, len);
  helpers_cut(hs, first);
  helpers_free(&own);
  cxx_scan_free(&s);
}

/* ---- headers ---- */

struct helpers *dispatch_headers(void) {
  return xcalloc(1, sizeof(struct helpers));
}

void dispatch_headers_free(struct helpers *headers) {
  if (headers)
    helpers_free(headers);
  free(headers);
}

bool dispatch_header(struct helpers *headers, struct buf *out, const char *text, size_t len,
                     const struct functions *f) {
  struct cxx_scan *s = xcalloc(1, sizeof *s);
  struct buf copy = {0}; /* the helpers refer to it for as long as they are used */
  size_t first = headers->n;
  buf_add(&copy, text, len);
  cxx_scan(s, copy.data, len);
  helpers_find(headers, s, f, true);
  helpers_keep(headers, s, copy.data);
  if (headers->n == first)
    return false;
  struct dispatch_stats stats;
  struct rewrite w = {.out = out, .s = s, .f = f, .hs = headers, .stats = &stats};
  rewrite(&w, first, false);
  copy_to(&w, len);
  return true;
}
