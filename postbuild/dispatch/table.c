#include "table.h"

#include "core/base/intern.h"
#include "diagram.h"
#include "leaf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 60000, MAX_SHAPES = 4096, MAX_COLUMNS = 64, NOTHING = UINT16_MAX };

const char table_prelude[] =
    "\n#include <cstdint>\n#include <string>\n#include <type_traits>\n"
    "#if __cplusplus >= 201703L\n#include <string_view>\n#endif\n"
    "// Tables in place of chains of conditions, written by ckjit-link.\n"
    "namespace {\nnamespace ckjit_dispatch {\n"
    "template <typename T> using plain = std::remove_cv_t<std::remove_reference_t<T>>;\n"
    "template <typename T> constexpr bool is_scalar = std::is_scalar<plain<T>>::value &&\n"
    "  !std::is_volatile<std::remove_reference_t<T>>::value;\n"
    "template <typename T> constexpr bool is_string = std::is_same<plain<T>, std::string>::value\n"
    "#if __cplusplus >= 201703L\n  || std::is_same<plain<T>, std::string_view>::value\n#endif\n  ;\n"
    "template <typename T> constexpr bool is_pointer = std::is_pointer<plain<T>>::value;\n"
    "// The first row that GUARD agrees to and that needs no atom whose VALUE is 0; ROWS where there is "
    "none.\n"
    "template <unsigned Rows, unsigned Summaries, unsigned Blocks, unsigned Atoms, typename Guard>\n"
    "static inline unsigned find(const std::uint64_t (&all)[Summaries][Atoms], const std::uint64_t "
    "(&need)[Blocks][Atoms],\n"
    "                            const unsigned char (&value)[Atoms], const Guard &guard) {\n"
    "  std::uint64_t off[Atoms];\n"
    "  for (unsigned i = 0; i < Atoms; i++)\n"
    "    off[i] = std::uint64_t(value[i]) - 1;\n"
    "  for (unsigned s = 0; s < Summaries; s++) {\n"
    "    std::uint64_t out = 0;\n"
    "    if (Blocks > 1)\n"
    "      for (unsigned i = 0; i < Atoms; i++)\n"
    "        out |= all[s][i] & off[i];\n"
    "    const unsigned in_s = Blocks - s * 64;\n"
    "    std::uint64_t blocks = ~out & (in_s < 64 ? (std::uint64_t(1) << in_s) - 1 : ~std::uint64_t(0));\n"
    "    for (; blocks; blocks &= blocks - 1) {\n"
    "      const unsigned b = s * 64 + unsigned(__builtin_ctzll(blocks));\n"
    "      std::uint64_t gone = 0;\n"
    "      for (unsigned i = 0; i < Atoms; i++)\n"
    "        gone |= need[b][i] & off[i];\n"
    "      const unsigned in_b = Rows - b * 64;\n"
    "      std::uint64_t rows = ~gone & (in_b < 64 ? (std::uint64_t(1) << in_b) - 1 : ~std::uint64_t(0));\n"
    "      for (; rows; rows &= rows - 1) {\n"
    "        const unsigned row = b * 64 + unsigned(__builtin_ctzll(rows));\n"
    "        if (guard(row))\n"
    "          return row;\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  return Rows;\n"
    "}\n"
    "} // namespace ckjit_dispatch\n} // namespace\n";

/* ---- the table in memory
 * ----------------------------------------------------------------------------------- */

struct row {
  uint16_t *atoms;
  size_t natoms;
  bool nothing;                /* its body is empty */
  uint32_t cells[MAX_COLUMNS]; /* the shape, then an entry for each column of the shape */
};

/* One array of entries, {&f<X>, &g<X>, …}: of a function, or of those uses of a helper that mention the same
 * template parameters. */
struct column {
  const struct helper *helper;
  uint32_t tparams;
  struct intern entries;
  struct argv types; /* of the members, from the first entry */
};

/* Leaves of one text. */
struct shape {
  size_t ncolumns;    /* cells behind the first of its rows */
  struct argv locals; /* what is declared in front of the text */
  char *text;
};

struct table {
  const struct cxx_scan *s;
  const struct functions *f;
  const struct helpers *hs;
  struct atoms atoms;
  struct row *rows;
  size_t nrows;
  struct intern shape_keys, column_keys;
  struct intern words; /* that no macro must have: it could name what was taken out of the text */
  struct shape *shapes;
  struct column *columns;
};

/* ---- cells
 * ------------------------------------------------------------------------------------------------- */

/* tokens [BEGIN, END) of helper H with its template parameters replaced by ARGS */
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

/* The column for uses of H (or of NAME) that mention TPARAMS, made where it is new. */
static unsigned column_of(struct table *t, const struct helper *h, const char *name, uint32_t tparams) {
  char *key = h ? xasprintf("%u %x", h->number, tparams) : xstrdup(name);
  size_t known = t->column_keys.texts.n, c = intern(&t->column_keys, key);
  free(key);
  if (c == known) {
    t->columns = xrealloc(t->columns, (c + 1) * sizeof *t->columns);
    t->columns[c] = (struct column){.helper = h, .tparams = tparams};
  }
  return (unsigned)c;
}

/* the identifiers in TEXT */
static void note_words(struct table *t, const char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  for (const char *p = text; *p;) {
    size_t n = strspn(p, letters);
    if (n && (*p < '0' || *p > '9') && strncmp(p, "ckjit_", 6) != 0) {
      char *word = xstrndup(p, n);
      intern(&t->words, word);
      free(word);
    }
    p += n ? n : 1;
  }
}

/* the entry of hole LH in column C, as an initialiser; notes the members' types */
static size_t entry_of(struct table *t, struct column *c, const struct leaf_hole *lh) {
  const struct helper *h = lh->helper;
  struct buf entry = {0};
  bool first = c->types.n == 0;
  buf_putc(&entry, '{');
  if (!h) {
    struct buf name = {0};
    buf_printf(&name, "%s<", lh->function);
    for (size_t i = 0; i < lh->args.n; i++)
      buf_printf(&name, "%s%s", i ? "," : "", lh->args.args[i]);
    buf_putc(&name, '>');
    buf_printf(&entry, "&%s", name.data);
    if (first)
      argv_addf(&c->types, "decltype(&%s)", name.data);
    buf_free(&name);
  }
  bool comma = false;
  for (size_t k = 0; h && k < h->nuses; k++) {
    if (use_tparams(h, k) != c->tparams)
      continue;
    struct buf use = {0}, cond = {0};
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
    buf_free(&use);
    buf_free(&cond);
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
  buf_free(&entry);
  return e;
}

static bool add_cell(struct table *t, struct shape *sh, struct row *row, size_t *cell, unsigned column,
                     const struct leaf_hole *lh) {
  if (*cell + 1 == MAX_COLUMNS)
    return false;
  row->cells[++*cell] = (uint32_t)entry_of(t, &t->columns[column], lh);
  if (sh)
    sh->ncolumns++;
  return true;
}

/* The cells of hole LH, number K. With SH, which is new, also its columns and locals. */
static bool add_hole(struct table *t, struct shape *sh, struct row *row, size_t *cell,
                     const struct leaf_hole *lh, size_t hole) {
  const struct helper *h = lh->helper;
  if (!h) {
    unsigned c = column_of(t, NULL, lh->function, 0);
    if (!add_cell(t, sh, row, cell, c, lh))
      return false;
    if (sh)
      argv_addf(&sh->locals, "const auto ckjit_p%zu_0 = ckjit_t%u[ckjit_r[%zu]].f0;", hole, c, *cell);
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
      if (use_tparams(h, u) == mask)
        argv_addf(&sh->locals, "const auto ckjit_p%zu_%zu = ckjit_t%u[ckjit_r[%zu]].f%zu;", hole, u, c, *cell,
                  member++);
    for (size_t u = 0; sh && u < h->nconds; u++)
      if (cond_tparams(h, u) == mask)
        argv_addf(&sh->locals, "const bool ckjit_c%zu_%zu = ckjit_t%u[ckjit_r[%zu]].f%zu;", hole, u, c, *cell,
                  member++);
  }
  return true;
}

/* What tells shapes apart: the text, and what its holes call. */
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
  char *key = shape_key(l, t->nrows);
  size_t known = t->shape_keys.texts.n, k = intern(&t->shape_keys, key), cell = 0;
  free(key);
  struct shape *sh = NULL;
  if (k == known) {
    if (known == MAX_SHAPES)
      return false;
    t->shapes = xrealloc(t->shapes, (k + 1) * sizeof *t->shapes);
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

/* ---- rows
 * -------------------------------------------------------------------------------------------------- */

static struct row *new_row(struct table *t, const uint16_t *guards, size_t nguards) {
  if ((t->nrows & (t->nrows - 1)) == 0)
    t->rows = xrealloc(t->rows, (t->nrows ? 2 * t->nrows : 1) * sizeof *t->rows);
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

/* The rows of C, each with the conditions around it first. */
static bool add_rows(struct table *t, const struct chain *c, const uint16_t *guards, size_t nguards) {
  for (size_t i = 0; i < c->n; i++) {
    const struct branch *b = &c->branches[i];
    uint16_t *atoms = NULL;
    size_t n = 0;
    for (size_t k = 0; k < nguards; k++) {
      if ((n & (n - 1)) == 0)
        atoms = xrealloc(atoms, (n ? 2 * n : 1) * sizeof *atoms);
      atoms[n++] = guards[k];
    }
    bool ok = b->cond.begin == b->cond.end || atoms_read(&t->atoms, b->cond, &atoms, &n);
    if (ok && b->inner) {
      ok = add_rows(t, b->inner, atoms, n);
      /* Where none of them holds, the branches behind this one are not tried. */
      if (ok && !b->inner->has_else)
        ok = add_row(t, atoms, n, (struct range){0, 0});
    } else if (ok) {
      ok = add_row(t, atoms, n, b->body);
    }
    free(atoms);
    if (!ok)
      return false;
  }
  return true;
}

/* ---- writing
 * ----------------------------------------------------------------------------------------------- */

/* What the text could not tell is checked by the compiler. */
static void put_checks(struct buf *out, const struct table *t) {
  const struct atoms *a = &t->atoms;
  for (size_t i = 0; i < t->words.texts.n; i++)
    buf_printf(out, "#ifdef %s\n#error \"a macro\"\n#endif\n", t->words.texts.args[i]);
  for (size_t i = 0; i < a->words.texts.n; i++)
    buf_printf(out, "#ifdef %s\nstatic_assert(__builtin_constant_p(%s), \"a macro\");\n#endif\n",
               a->words.texts.args[i], a->words.texts.args[i]);
  for (size_t i = 0; i < a->scalars.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_scalar<decltype((%s))>, \"\");\n",
               a->scalars.texts.args[i]);
  for (size_t i = 0; i < a->strings.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_string<decltype((%s))>, \"\");\n",
               a->strings.texts.args[i]);
  for (size_t i = 0; i < a->pointers.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_pointer<decltype((%s))>, \"\");\n",
               a->pointers.texts.args[i]);
  for (size_t i = 0; i < a->types.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_scalar<%s>, \"\");\n", a->types.texts.args[i]);
}

/* numbers of the atoms that have a bit; ~0 for those that are guarded */
static uint32_t *number_bits(const struct atoms *a, size_t *nbits) {
  uint32_t *bit = xcalloc(a->n + 1, sizeof *bit);
  *nbits = 0;
  for (size_t i = 0; i < a->n; i++)
    bit[i] = a->all[i].guarded ? UINT32_MAX : (uint32_t)(*nbits)++;
  return bit;
}

static void put_words(struct buf *out, const char *name, const uint64_t *words, size_t lines,
                      size_t columns) {
  buf_printf(out, "static constexpr std::uint64_t %s[%zu][%zu] = {", name, lines, columns);
  for (size_t i = 0; i < lines; i++) {
    buf_puts(out, i ? ",\n{" : "{");
    for (size_t k = 0; k < columns; k++)
      buf_printf(out, "%s0x%llxu", k ? "," : "", (unsigned long long)words[i * columns + k]);
    buf_putc(out, '}');
  }
  buf_puts(out, "};\n");
}

/* Which rows need which atom, and which blocks of 64 rows need it in every row. */
static void put_bits(struct buf *out, const struct table *t, const uint32_t *bit, size_t nbits) {
  size_t columns = nbits ? nbits : 1, blocks = (t->nrows + 63) / 64, summaries = (blocks + 63) / 64;
  uint64_t *need = xcalloc(blocks * columns, sizeof *need), *all = xcalloc(summaries * columns, sizeof *all);
  for (size_t i = 0; i < t->nrows; i++)
    for (size_t k = 0; k < t->rows[i].natoms; k++)
      if (bit[t->rows[i].atoms[k]] != UINT32_MAX)
        need[i / 64 * columns + bit[t->rows[i].atoms[k]]] |= UINT64_C(1) << i % 64;
  for (size_t b = 0; b < blocks; b++) {
    size_t rows = t->nrows - b * 64;
    uint64_t every = rows < 64 ? (UINT64_C(1) << rows) - 1 : UINT64_MAX;
    for (size_t k = 0; k < columns; k++)
      if (need[b * columns + k] == every)
        all[b / 64 * columns + k] |= UINT64_C(1) << b % 64;
  }
  put_words(out, "ckjit_all", all, summaries, columns);
  put_words(out, "ckjit_need", need, blocks, columns);
  free(need);
  free(all);
}

/* the atoms' values, evaluated here once */
static void put_values(struct buf *out, const struct atoms *a, size_t nbits) {
  buf_printf(out, "unsigned char ckjit_v[%zu] = {", nbits ? nbits : 1);
  const char *comma = "";
  for (size_t i = 0; i < a->n; i++)
    if (!a->all[i].guarded) {
      buf_printf(out, "%s(unsigned char)((%s) ? 1 : 0)", comma, a->all[i].text);
      comma = ",\n";
    }
  buf_puts(out, nbits ? "};\n" : "1};\n");
  /* A member that its guards say is not set may hold anything: its atom then counts for nothing, but the
   * compiler must not conclude anything from it. */
  buf_puts(out, "__asm__(\"\" : \"+m\"(ckjit_v));\n");
}

/* Guarded atoms: evaluated for a row that is left, in order, each at most once a call. */
static void put_guard(struct buf *out, const struct table *t, const uint32_t *bit) {
  size_t guarded = 0;
  struct buf list = {0}, at = {0};
  buf_add(&list, "", 0);
  for (size_t i = 0; i < t->nrows; i++) {
    buf_printf(&at, "%zu,", guarded);
    for (size_t k = 0; k < t->rows[i].natoms; k++)
      if (bit[t->rows[i].atoms[k]] == UINT32_MAX) {
        buf_printf(&list, "%u,", t->rows[i].atoms[k]);
        guarded++;
      }
  }
  if (!guarded) {
    buf_puts(out, "const auto ckjit_guard = [](unsigned) { return true; };\n");
  } else {
    buf_printf(
        out,
        "static constexpr std::uint16_t ckjit_g[] = {%s};\nstatic constexpr std::uint32_t ckjit_g_at[] = "
        "{%s%zu};\n"
        "unsigned char ckjit_known[%zu] = {};\n"
        "const auto ckjit_guard = [&](unsigned ckjit_i) -> bool {\n"
        "for (unsigned ckjit_k = ckjit_g_at[ckjit_i]; ckjit_k < ckjit_g_at[ckjit_i + 1]; ckjit_k++) {\n"
        "unsigned char &ckjit_b = ckjit_known[ckjit_g[ckjit_k]];\n"
        "if (!ckjit_b) switch (ckjit_g[ckjit_k]) {\n",
        list.data, at.data, guarded, t->atoms.n);
    for (size_t i = 0; i < t->atoms.n; i++)
      if (t->atoms.all[i].guarded)
        buf_printf(out, "case %zu: ckjit_b = (%s) ? 2 : 1; break;\n", i, t->atoms.all[i].text);
    buf_puts(out, "}\nif (ckjit_b == 1) return false;\n}\nreturn true;\n};\n");
  }
  buf_free(&list);
  buf_free(&at);
}

/* Rows that all have one shape and one cell need no numbers: the entries stand in their order. */
static bool is_direct(const struct table *t) {
  return t->shape_keys.texts.n == 1 && t->shapes[0].ncolumns == 1;
}

static void put_entries_of_rows(struct buf *out, const struct table *t) {
  for (size_t i = 0; i < t->nrows; i++) {
    buf_puts(out, t->rows[i].nothing ? "{}" : t->columns[0].entries.texts.args[t->rows[i].cells[1]]);
    buf_puts(out, ",\n");
  }
}

static void put_columns(struct buf *out, const struct table *t, bool direct) {
  for (size_t c = 0; c < t->column_keys.texts.n; c++) {
    const struct column *col = &t->columns[c];
    buf_printf(out, "struct ckjit_e%zu {", c);
    for (size_t k = 0; k < col->types.n; k++)
      buf_printf(out, " %s f%zu;", col->types.args[k], k);
    buf_printf(out, " };\nstatic constexpr ckjit_e%zu ckjit_t%zu[] = {\n", c, c);
    for (size_t e = 0; e < col->entries.texts.n && !direct; e++) {
      buf_puts(out, col->entries.texts.args[e]);
      buf_puts(out, ",\n");
    }
    if (direct)
      put_entries_of_rows(out, t);
    buf_puts(out, "};\n");
  }
}

static size_t row_width(const struct table *t) {
  size_t width = 1;
  for (size_t i = 0; i < t->shape_keys.texts.n; i++)
    if (t->shapes[i].ncolumns + 1 > width)
      width = t->shapes[i].ncolumns + 1;
  return width;
}

/* What a row calls; where the search is by bits also whether there is anything to do. */
static void put_rows(struct buf *out, const struct table *t) {
  size_t width = row_width(t);
  bool wide = false;
  for (size_t c = 0; c < t->column_keys.texts.n; c++)
    wide |= t->columns[c].entries.texts.n > UINT16_MAX;
  buf_printf(out, "static constexpr std::uint%d_t ckjit_rows[][%zu] = {", wide ? 32 : 16, width);
  for (size_t i = 0; i < t->nrows; i++) {
    buf_puts(out, i ? "," : "");
    buf_puts(out, i % 16 == 0 ? "\n{" : "{");
    buf_printf(out, "%u", t->rows[i].nothing ? NOTHING : t->rows[i].cells[0]);
    for (size_t k = 1; k < width; k++)
      buf_printf(out, ",%u", t->rows[i].cells[k]);
    buf_putc(out, '}');
  }
  buf_puts(out, "};\n");
}

static void put_shape(struct buf *out, const struct shape *s) {
  for (size_t k = 0; k < s->locals.n; k++)
    buf_printf(out, "[[maybe_unused]] %s\n", s->locals.args[k]);
  buf_printf(out, "%s\n", s->text);
}

static void put_shapes(struct buf *out, const struct table *t) {
  if (t->shape_keys.texts.n == 1) {
    put_shape(out, &t->shapes[0]);
    return;
  }
  buf_puts(out, "switch (ckjit_r[0]) {\n");
  for (size_t i = 0; i < t->shape_keys.texts.n; i++) {
    buf_printf(out, "case %zu: {\n", i);
    put_shape(out, &t->shapes[i]);
    buf_puts(out, "} break;\n");
  }
  buf_puts(out, "}\n");
}

static void put_bit_search(struct buf *out, const struct table *t, const char *prefix) {
  size_t nbits;
  uint32_t *bit = number_bits(&t->atoms, &nbits);
  buf_puts(out, "{\n");
  put_bits(out, t, bit, nbits);
  put_values(out, &t->atoms, nbits);
  put_guard(out, t, bit);
  buf_printf(out,
             "ckjit_row = ckjit_dispatch::find<%zu>(ckjit_all, ckjit_need, ckjit_v, ckjit_guard);\n}\n"
             "if (ckjit_row == %zu || ckjit_rows[ckjit_row][0] == %d) goto %s_none;\ngoto %s_found;\n",
             t->nrows, t->nrows, NOTHING, prefix, prefix);
  free(bit);
}

/* The code that finds the row, as a diagram; false where the rows are too unlike for one. */
static bool diagram(struct buf *out, const struct table *t, const char *prefix) {
  struct diagram_row *rows = xcalloc(t->nrows, sizeof *rows);
  for (size_t i = 0; i < t->nrows; i++)
    rows[i] = (struct diagram_row){t->rows[i].atoms, t->rows[i].natoms, t->rows[i].nothing};
  bool ok = diagram_write(out, prefix, &t->atoms, rows, t->nrows);
  free(rows);
  return ok;
}

static void put_table(struct buf *out, const struct table *t, const struct chain *c, size_t number) {
  char *prefix = xasprintf("ckjit_%zu", number); /* labels are the function's */
  struct buf search = {0};
  bool is_diagram = diagram(&search, t, prefix), direct = is_diagram && is_direct(t);
  if (!is_diagram)
    put_bit_search(&search, t, prefix);
  buf_printf(out, "{ // ckjit: a table of %zu rows\n", t->nrows);
  put_checks(out, t);
  put_columns(out, t, direct);
  if (!direct)
    put_rows(out, t);
  buf_puts(out, "unsigned ckjit_row = 0;\n");
  buf_add(out, search.data, search.len);
  buf_printf(out, "%s_found: {\n%s\n", prefix,
             direct ? "const unsigned ckjit_r[] = {0, ckjit_row};"
                    : "const auto *const ckjit_r = ckjit_rows[ckjit_row];");
  put_shapes(out, t);
  /* A chain with a last else whose branches all return may be the end of a function that returns a value. */
  if (c->has_else && c->leaves)
    buf_puts(out, "__builtin_unreachable();\n");
  buf_printf(out, "}\n%s_none:;\n}\n", prefix);
  buf_free(&search);
  free(prefix);
}

static void table_free(struct table *t) {
  for (size_t i = 0; i < t->nrows; i++)
    free(t->rows[i].atoms);
  for (size_t i = 0; i < t->shape_keys.texts.n && t->shapes; i++) {
    argv_free(&t->shapes[i].locals);
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

size_t table_write(struct buf *out, const struct chain *c, size_t number, const struct cxx_scan *s,
                   const struct functions *f, const struct helpers *hs) {
  struct table t = {.s = s, .f = f, .hs = hs, .atoms = {.s = s}};
  if (!text_plain(s, (struct range){c->begin, c->end}))
    return 0;
  size_t rows = add_rows(&t, c, NULL, 0) ? t.nrows : 0;
  if (rows)
    put_table(out, &t, c, number);
  table_free(&t);
  return rows;
}
