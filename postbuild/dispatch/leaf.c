/* leaf.c - see leaf.h. A hole is a call whose template arguments mean the same outside of the body:
 * they mention no name that the body declares, once the aliases in them (`using trait_ = …;`) are
 * replaced by what they stand for. An alias that nothing but holes needed is then left out, or it
 * would tell the branches apart.
 */
#include "leaf.h"

#include "core/base/vec.h"

/* using NAME = …; in a body */
struct alias {
  struct range all; /* the declaration */
  uint32_t name;
  uint32_t scope_end;
  /* what it stands for, other aliases resolved */
  char *text;
  bool kept;
};

struct reader {
  struct leaf *l;
  const struct cxx_text *t;
  struct range body;
  const struct functions *f;
  const struct helpers *hs;
  struct alias *aliases;
  size_t naliases;
  struct hole *holes;
  /* by each hole: function and template arguments */
  struct range *taken;
  size_t nholes;
  uint32_t *declared; /* names of the body's own */
  size_t ndeclared;
};

/* ---- aliases ---- */

static const struct alias *alias_at(const struct reader *r, uint32_t i) {
  if (cxx_is(r->t, i - 1, "::") || punct(r->t, i - 1, '.') || cxx_is(r->t, i - 1, "->"))
    return NULL;
  for (size_t k = r->naliases; k-- > 0;)
    if (r->aliases[k].all.end <= i && i < r->aliases[k].scope_end && same_tok(r->t, i, r->aliases[k].name))
      return &r->aliases[k];
  return NULL;
}

/* tokens [BEGIN, END) with aliases replaced, in one spelling; free() it */
static char *resolved(const struct reader *r, uint32_t begin, uint32_t end) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (uint32_t i = begin; i < end; i++) {
    const struct alias *a = ident(r->t, i) ? alias_at(r, i) : NULL;
    if (a)
      buf_puts(&b, a->text);
    else
      text_canonical(r->t, i, i + 1, &b);
    if (i + 1 < end && text_joins(r->t, i))
      buf_putc(&b, ' ');
  }
  return b.data;
}

/* the } that ends the block that token I stands in */
static uint32_t scope_end(const struct reader *r, uint32_t i) {
  for (; i < r->body.end; i++) {
    if (punct(r->t, i, '}'))
      return i;
    if (punct(r->t, i, '{'))
      i = cxx_skip_group(r->t, i, r->body.end) - 1;
  }
  return r->body.end;
}

/* Reads `using NAME = …;` at I. Returns the index after it; 0 if it is something else. */
static uint32_t read_alias(struct reader *r, uint32_t i) {
  if (!cxx_is(r->t, i, "using") || !ident(r->t, i + 1) || !punct(r->t, i + 2, '='))
    return 0;
  uint32_t end = i + 3;
  while (end < r->body.end && !punct(r->t, end, ';'))
    end++;
  if (end == r->body.end)
    return 0;
  char *text = resolved(r, i + 3, end);
  vec_push(r->aliases, r->naliases, (struct alias){{i, end + 1}, i + 1, scope_end(r, end), text, false});
  return end + 1;
}

/* Does anything but holes, and aliases that are left out, use alias A? The last alias is asked
 * about first, so that what only it needs goes with it. */
static bool is_needed(const struct reader *r, const struct alias *a) {
  for (uint32_t i = a->all.end; i < a->scope_end; i++) {
    for (size_t k = 0; k < r->nholes; k++)
      if (i >= r->taken[k].begin && i < r->taken[k].end)
        i = r->taken[k].end;
    for (const struct alias *b = a + 1; b < r->aliases + r->naliases; b++)
      if (!b->kept && i >= b->all.begin && i < b->all.end)
        i = b->all.end;
    if (i < a->scope_end && ident(r->t, i) && same_tok(r->t, i, a->name))
      return true;
  }
  return false;
}

/* ---- holes ---- */

static void note_declared(struct reader *r) {
  for (uint32_t i = r->body.begin; i < r->body.end; i++)
    if (text_declares(r->t, i))
      vec_push(r->declared, r->ndeclared, i);
}

/* Do the tokens [BEGIN, END) say the same outside of the body? */
static bool is_outside(const struct reader *r, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end && r->ndeclared; i++)
    for (size_t k = 0; ident(r->t, i) && k < r->ndeclared; k++)
      if (same_tok(r->t, i, r->declared[k]))
        return false;
  return true;
}

/* The same for template arguments and for what aliases in them stand for. */
static bool arguments_are_outside(const struct reader *r, uint32_t begin, uint32_t end) {
  for (size_t k = 0; k < r->naliases; k++)
    if (!is_outside(r, r->aliases[k].all.begin + 3, r->aliases[k].all.end))
      return false;
  return is_outside(r, begin, end);
}

/* ckjit_erased_3<true, false>(ckjit_p0_0, …, ARGUMENTS) for each combination of the helper's
 * conditions, as a conditional expression; bit K of CONDS: condition K is true */
static void put_call(struct buf *out, const struct helper *h, size_t hole, unsigned conds, size_t cond,
                     const char *prefix, const char *arguments) {
  if (cond < h->nconds) {
    buf_printf(out, "(ckjit_c%zu_%zu ? ", hole, cond);
    put_call(out, h, hole, conds | 1u << cond, cond + 1, prefix, arguments);
    buf_puts(out, " : ");
    put_call(out, h, hole, conds, cond + 1, prefix, arguments);
    buf_putc(out, ')');
    return;
  }
  buf_printf(out, "%sckjit_erased_%u", prefix, h->number);
  for (size_t k = 0; k < h->nconds; k++)
    buf_printf(out, "%s%s%s", k ? ", " : "<", conds >> k & 1 ? "true" : "false",
               k + 1 == h->nconds ? ">" : "");
  buf_putc(out, '(');
  for (size_t k = 0; k < h->nuses; k++)
    buf_printf(out, "%sckjit_p%zu_%zu", k ? ", " : "", hole, k);
  if (*arguments)
    buf_printf(out, ", %s", arguments);
  if (h->nconds)
    buf_putc(out, ')'); /* else the call's own ) stays where it is */
}

static void name_locals(struct hole *h, const struct leaf_hole *lh, size_t hole) {
  for (size_t k = 0; k < (lh->helper ? lh->helper->nuses : 1); k++)
    argv_addf(&h->names, "ckjit_p%zu_%zu", hole, k);
  for (size_t k = 0; lh->helper && k < lh->helper->nconds; k++)
    argv_addf(&h->names, "ckjit_c%zu_%zu", hole, k);
}

/* the index at which the qualifiers, or this->, before the name at I begin; the body's end if it is
 * called on another object */
static uint32_t prefix_begin(const struct reader *r, uint32_t i) {
  const struct cxx_text *t = r->t;
  if (cxx_is(t, i - 1, "->") && cxx_is(t, i - 2, "this"))
    return i - 2;
  if (cxx_is(t, i - 1, "->") || punct(t, i - 1, '.') || cxx_is(t, i - 1, "template"))
    return r->body.end;
  while (cxx_is(t, i - 1, "::")) {
    i--;
    if (!ident(t, i - 1) || cxx_is(t, i - 1, "return"))
      return i;
    i--;
  }
  return i;
}

/* Append the template arguments in [BEGIN, END), aliases resolved, to ARGS. */
static bool read_arguments(const struct reader *r, uint32_t begin, uint32_t end, struct argv *args) {
  for (uint32_t k = begin, from = begin; k <= end; k++) {
    if (punct(r->t, k, '<') && !(k = cxx_skip_angles(r->t, k, end + 1)))
      return false;
    if (punct(r->t, k, '(') || punct(r->t, k, '{'))
      k = cxx_skip_group(r->t, k, end + 1);
    if (k >= end || punct(r->t, k, ',')) {
      uint32_t stop = k < end ? k : end;
      if (stop > from)
        argv_add_own(args, resolved(r, from, stop));
      from = k + 1;
    }
  }
  return true;
}

/* The text of hole NUMBER, a call of helper H whose name is token I, its qualifiers from BEGIN on,
 * and its arguments in [OPEN, CLOSE). They are in the text only if H has conditions; else it ends
 * before them. free() it. */
static char *helper_call(const struct reader *r, const struct helper *h, size_t number, uint32_t begin,
                         uint32_t i, uint32_t open, uint32_t close) {
  struct buf text = {0};
  autofree_buf prefix = {0}, arguments = {0};
  text_canonical(r->t, begin, i, &prefix);
  buf_add(&arguments, "", 0);
  if (h->nconds)
    cxx_render(r->t, open, close, &arguments);
  put_call(&text, h, number, 0, 0, prefix.data, arguments.data);
  if (!h->nconds && open < close)
    buf_puts(&text, ", ");
  return text.data;
}

/* Read the call f<…>(…) whose name is token I as a hole. The index to go on at; 0 if it cannot be
 * one. */
static uint32_t read_hole(struct reader *r, uint32_t i) {
  const struct cxx_text *t = r->t;
  if (!ident(t, i) || !punct(t, i + 1, '<'))
    return 0;
  const char *signature = functions_find_n(r->f, t->text + t->toks[i].at, t->toks[i].len);
  const struct helper *h = signature ? NULL : helpers_at(r->hs, t, i);
  if (!h && (!signature || !*signature))
    return 0;
  uint32_t behind = cxx_skip_angles(t, i + 1, r->body.end), begin = prefix_begin(r, i);
  if (!behind || !punct(t, behind, '(') || begin == r->body.end ||
      !arguments_are_outside(r, i + 2, behind - 1))
    return 0;
  if (cxx_is(t, i - 1, "->") && !(h && h->member))
    return 0;
  uint32_t close = cxx_skip_group(t, behind, r->body.end);
  struct leaf_hole lh = {.helper = h};
  if (!read_arguments(r, i + 2, behind - 1, &lh.args)) {
    argv_free(&lh.args);
    return 0;
  }
  if (h && lh.args.n != h->ntparams) {
    argv_free(&lh.args); /* default arguments: only the compiler knows what they are */
    return 0;
  }
  size_t number = r->nholes;
  struct buf name = {0};
  text_canonical(t, begin, i + 1, &name);
  lh.function = name.data;
  struct hole hole = {.begin = begin, .end = behind};
  if (!h) {
    hole.text = xasprintf("ckjit_p%zu_0", number);
  } else {
    hole.text = helper_call(r, h, number, begin, i, behind + 1, close - 1);
    hole.end = h->nconds ? close : behind + 1;
  }
  name_locals(&hole, &lh, number);
  vec_push(r->l->holes, r->l->n, lh);
  vec_reserve(r->taken, r->nholes, 1);
  r->taken[number] = (struct range){begin, behind};
  vec_push(r->holes, r->nholes, hole);
  return hole.end;
}

/* ---- the body ---- */

/* Returns false if the body contains words that must not move into a switch. Words that must not be
 * shared set L's alone. */
static bool check_words(struct leaf *l, const struct cxx_scan *s, struct range body) {
  static const char *const never[] = {"break", "case", "default", "goto", "__LINE__", "asm"};
  static const char *const alone[] = {"static", "thread_local", "struct",  "class",
                                      "union",  "enum",         "typedef", "__COUNTER__"};
  for (uint32_t i = body.begin; i < body.end; i++) {
    if (TEXT_WORD(&s->code, i, never))
      return false;
    l->alone |= TEXT_WORD(&s->code, i, alone);
  }
  return true;
}

static int by_begin(const void *a, const void *b) {
  const struct hole *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* the body's text with holes filled and the aliases that are not needed left out */
static char *shape_of(struct reader *r) {
  autofree struct hole *all = xcalloc(r->nholes + r->naliases + 1, sizeof *all);
  size_t n = 0;
  for (size_t k = 0; k < r->nholes; k++)
    all[n++] = r->holes[k];
  for (size_t k = r->naliases; k-- > 0;) {
    r->aliases[k].kept = is_needed(r, &r->aliases[k]);
    if (!r->aliases[k].kept)
      all[n++] = (struct hole){r->aliases[k].all.begin, r->aliases[k].all.end, (char *)"", {0}};
  }
  qsort(all, n, sizeof *all, by_begin);
  struct buf out = {0};
  buf_add(&out, "", 0);
  text_fill(r->t, r->body, all, n, &out);
  return out.data;
}

bool leaf_read(struct leaf *l, const struct cxx_scan *s, struct range body, const struct functions *f,
               const struct helpers *hs) {
  *l = (struct leaf){0};
  if (!check_words(l, s, body))
    return false;
  struct reader r = {.l = l, .t = &s->code, .body = body, .f = f, .hs = hs};
  note_declared(&r);
  for (uint32_t i = body.begin; i < body.end;) {
    uint32_t next = read_alias(&r, i);
    if (!next)
      next = read_hole(&r, i);
    i = next ? next : i + 1;
  }
  l->shape = shape_of(&r);
  for (size_t k = 0; k < r.naliases; k++)
    free(r.aliases[k].text);
  holes_free(r.holes, r.nholes);
  free(r.aliases);
  free(r.holes);
  free(r.taken);
  free(r.declared);
  return true;
}

void leaf_free(struct leaf *l) {
  for (size_t i = 0; i < l->n; i++) {
    free(l->holes[i].function);
    argv_free(&l->holes[i].args);
  }
  free(l->holes);
  free(l->shape);
  *l = (struct leaf){0};
}
