/* table.c - see table.h. A chain is read branch by branch into rows: its conditions (condition.h),
 * with those around it first, and its body (leaf.h), whose holes become cells.
 *
 * The functions that a hole needs of its helper are divided into columns by the template parameters
 * that they mention. With 30 values of A and 4 of B, f<A, B> and g<B> in one column would be 120
 * entries of two addresses; in two columns they are 120 entries of one address, and 4.
 */
#include "table.h"
#include "core/base/vec.h"
#include "core/cxx/cxxwords.h"

#include "leaf.h"

enum { MAX_ROWS = 60000, MAX_SHAPES = 4096 };

/* ---- cells ---- */

/* tokens R of helper H with its template parameters replaced by ARGS */
static void put_applied(struct buf *out, const struct helper *h, struct range r, const struct argv *args) {
  const struct cxx_text *t = h->t;
  for (uint32_t i = r.begin; i < r.end; i++) {
    size_t k = h->ntparams;
    if (ident(t, i) && !cxx_is(t, i - 1, "::") && !punct(t, i - 1, '.'))
      for (k = 0; k < h->ntparams && !same_tok(t, i, h->tparams[k]); k++)
        ;
    if (k < h->ntparams)
      buf_puts(out, args->args[k]);
    else
      text_put(t, i, out);
    if (i + 1 < r.end && text_joins(t, i))
      buf_putc(out, ' ');
  }
}

static uint32_t cond_tparams(const struct helper *h, size_t cond) {
  uint32_t mask = 0;
  for (uint32_t i = h->conds[cond].begin; i < h->conds[cond].end; i++)
    for (size_t k = 0; k < h->ntparams; k++)
      if (ident(h->t, i) && same_tok(h->t, i, h->tparams[k]))
        mask |= 1u << k;
  return mask;
}

static uint32_t use_tparams(const struct helper *h, size_t use) {
  const struct use *u = &h->uses[use];
  return u->tparams | (u->cond >= 0 ? cond_tparams(h, (size_t)u->cond) : 0);
}

/* The column for the uses of H that mention TPARAMS, or, H being NULL, for function NAME; made if
 * it is new. */
static unsigned column_of(struct table *t, const struct helper *h, const char *name, uint32_t tparams) {
  autofree char *key = h ? xasprintf("%u %x", h->number, tparams) : xstrdup(name);
  size_t known = t->column_keys.texts.n, c = intern(&t->column_keys, key);
  if (c == known) {
    vec_reserve(t->columns, c, 1);
    t->columns[c] = (struct column){.helper = h, .tparams = tparams};
  }
  return (unsigned)c;
}

/* note the identifiers in TEXT: none may be a macro */
static void note_words(struct table *t, const char *text) {
  for (struct cxx_word w = cxx_word(text); w.n; w = cxx_word(w.p + w.n))
    if ((*w.p < '0' || *w.p > '9') && strncmp(w.p, "ckjit_", 6) != 0)
      intern_bytes(&t->words, w.p, w.n);
}

/* The number of the entry of hole LH in column C, which is an initialiser. Notes the members' types
 * for the first. */
static size_t entry_of(struct table *t, struct column *c, const struct leaf_hole *lh) {
  const struct helper *h = lh->helper;
  autofree_buf entry = {0};
  bool first = c->types.n == 0;
  buf_putc(&entry, '{');
  if (!h) {
    autofree_buf name = {0};
    buf_printf(&name, "%s<", lh->function);
    for (size_t i = 0; i < lh->args.n; i++)
      buf_printf(&name, "%s%s", i ? "," : "", lh->args.args[i]);
    buf_putc(&name, '>');
    buf_printf(&entry, "&%s", name.data);
    if (first)
      argv_addf(&c->types, "decltype(&%s)", name.data);
  }
  bool comma = false;
  for (size_t k = 0; h && k < h->nuses; k++) {
    if (use_tparams(h, k) != c->tparams)
      continue;
    autofree_buf use = {0}, cond = {0};
    put_applied(&use, h, h->uses[k].text, &lh->args);
    if (h->uses[k].cond >= 0)
      put_applied(&cond, h, h->conds[h->uses[k].cond], &lh->args);
    buf_puts(&entry, comma ? "," : "");
    if (cond.len)
      buf_printf(&entry, "%s(%s)?&%s:nullptr", h->uses[k].arm ? "" : "!", cond.data, use.data);
    else
      buf_printf(&entry, "&%s", use.data);
    if (first)
      argv_addf(&c->types, "decltype(&%s)", use.data);
    comma = true;
  }
  for (size_t k = 0; h && k < h->nconds; k++) {
    if (cond_tparams(h, k) != c->tparams)
      continue;
    buf_puts(&entry, comma ? "," : "");
    buf_putc(&entry, '(');
    put_applied(&entry, h, h->conds[k], &lh->args);
    buf_putc(&entry, ')');
    if (first)
      argv_add(&c->types, "bool");
    comma = true;
  }
  buf_putc(&entry, '}');
  size_t known = c->entries.texts.n, e = intern(&c->entries, entry.data);
  if (e == known)
    note_words(t, entry.data);
  return e;
}

static bool add_cell(struct table *t, struct shape *sh, struct row *row, size_t *cell, unsigned column,
                     const struct leaf_hole *lh) {
  if (*cell + 1 == TABLE_COLUMNS)
    return false;
  row->cells[++*cell] = (uint32_t)entry_of(t, &t->columns[column], lh);
  if (sh)
    sh->ncolumns++;
  return true;
}

/* Add the cells of hole LH, number HOLE, to ROW. With SH, which is new then, also its columns and
 * locals. */
static bool add_hole(struct table *t, struct shape *sh, struct row *row, size_t *cell,
                     const struct leaf_hole *lh, size_t hole) {
  const struct helper *h = lh->helper;
  if (!h) {
    unsigned c = column_of(t, NULL, lh->function, 0);
    if (!add_cell(t, sh, row, cell, c, lh))
      return false;
    if (sh) {
      argv_addf(
          &sh->locals,
          "const auto ckjit_p%zu_0 = ckjit_dispatch::function_of(ckjit_t%u, ckjit_r[%zu], &ckjit_e%u::f0);",
          hole, c, *cell, c);
      argv_addf(&sh->pointers, "ckjit_p%zu_0", hole);
    }
    return true;
  }
  uint32_t done[HELPER_USES + HELPER_CONDS];
  size_t ndone = 0;
  for (size_t k = 0; k < h->nuses + h->nconds; k++) {
    uint32_t mask = k < h->nuses ? use_tparams(h, k) : cond_tparams(h, k - h->nuses);
    size_t d = 0;
    while (d < ndone && done[d] != mask)
      d++;
    if (d < ndone)
      continue;
    done[ndone++] = mask;
    unsigned c = column_of(t, h, NULL, mask);
    if (!add_cell(t, sh, row, cell, c, lh))
      return false;
    size_t member = 0;
    for (size_t u = 0; sh && u < h->nuses; u++)
      if (use_tparams(h, u) == mask) {
        argv_addf(
            &sh->locals,
            "const auto ckjit_p%zu_%zu = ckjit_dispatch::function_of%s(ckjit_t%u, ckjit_r[%zu], &ckjit_e%u::f%zu);",
            hole, u, h->uses[u].cond >= 0 ? "_if" : "", c, *cell, c, member++);
        argv_addf(&sh->pointers, "ckjit_p%zu_%zu", hole, u);
      }
    for (size_t u = 0; sh && u < h->nconds; u++)
      if (cond_tparams(h, u) == mask)
        argv_addf(&sh->locals, "const bool ckjit_c%zu_%zu = ckjit_t%u.entries[ckjit_r[%zu]].f%zu;", hole, u,
                  c, *cell, member++);
  }
  return true;
}

/* The key that distinguishes shapes: the text, and the functions that its holes call. A body that
 * must not share its text includes its row. */
static char *shape_key(const struct leaf *l, size_t row) {
  struct buf key = {0};
  buf_puts(&key, l->shape);
  for (size_t i = 0; i < l->n; i++)
    buf_printf(&key, "\n%s", l->holes[i].function);
  if (l->alone)
    buf_printf(&key, "\n%zu", row);
  return key.data;
}

static bool add_leaf(struct table *t, struct row *row, const struct leaf *l) {
  autofree char *key = shape_key(l, t->nrows);
  size_t known = t->shape_keys.texts.n, k = intern(&t->shape_keys, key), cell = 0;
  struct shape *sh = NULL;
  if (k == known) {
    if (known == MAX_SHAPES)
      return false;
    vec_reserve(t->shapes, k, 1);
    sh = &t->shapes[k];
    *sh = (struct shape){.text = xstrdup(l->shape)};
    note_words(t, l->shape);
  }
  row->cells[0] = (uint32_t)k;
  for (size_t i = 0; i < l->n; i++)
    if (!add_hole(t, sh, row, &cell, &l->holes[i], i))
      return false;
  return true;
}

/* ---- rows ---- */

static struct row *new_row(struct table *t, const uint16_t *guards, size_t nguards) {
  vec_reserve(t->rows, t->nrows, 1);
  struct row *row = &t->rows[t->nrows];
  *row = (struct row){.natoms = nguards};
  row->atoms = xcalloc(nguards + 1, sizeof *row->atoms);
  if (nguards)
    memcpy(row->atoms, guards, nguards * sizeof *guards);
  return row;
}

static bool add_row(struct table *t, const uint16_t *guards, size_t nguards, struct range body) {
  if (t->nrows == MAX_ROWS)
    return false;
  struct leaf l;
  struct row *row = new_row(t, guards, nguards);
  bool ok = leaf_read(&l, t->s, body, t->f, t->hs);
  row->nothing = ok && !l.n && strspn(l.shape, " \t\n") == strlen(l.shape);
  ok = ok && (row->nothing || add_leaf(t, row, &l));
  leaf_free(&l);
  t->nrows++;
  return ok;
}

/* Append the rows of C, each with the NGUARDS conditions around C first. */
static bool add_rows(struct table *t, const struct chain *c, const uint16_t *guards, size_t nguards) {
  for (size_t i = 0; i < c->n; i++) {
    const struct branch *b = &c->branches[i];
    autofree uint16_t *atoms = NULL;
    size_t n = 0;
    for (size_t k = 0; k < nguards; k++)
      vec_push(atoms, n, guards[k]);
    bool ok = b->cond.begin == b->cond.end || atoms_read(&t->atoms, b->cond, &atoms, &n);
    if (ok && b->inner) {
      ok = add_rows(t, b->inner, atoms, n);
      /* If none of them holds, the branches after this one are not tried. */
      if (ok && !b->inner->has_else)
        ok = add_row(t, atoms, n, (struct range){0, 0});
    } else if (ok) {
      ok = add_row(t, atoms, n, b->body);
    }
    if (!ok)
      return false;
  }
  return true;
}

void table_free(struct table *t) {
  for (size_t i = 0; i < t->nrows; i++)
    free(t->rows[i].atoms);
  for (size_t i = 0; i < t->shape_keys.texts.n && t->shapes; i++) {
    argv_free(&t->shapes[i].locals);
    argv_free(&t->shapes[i].pointers);
    free(t->shapes[i].text);
  }
  for (size_t i = 0; i < t->column_keys.texts.n; i++) {
    intern_free(&t->columns[i].entries);
    argv_free(&t->columns[i].types);
  }
  free(t->rows);
  free(t->shapes);
  free(t->columns);
  intern_free(&t->shape_keys);
  intern_free(&t->column_keys);
  intern_free(&t->words);
  atoms_free(&t->atoms);
}

bool table_read(struct table *t, const struct chain *c, const struct cxx_scan *s, const struct functions *f,
                const struct helpers *hs) {
  *t = (struct table){.s = s, .f = f, .hs = hs, .atoms = {.s = s}};
  return text_plain(s, (struct range){c->begin, c->end}) && add_rows(t, c, NULL, 0) && t->nrows;
}
