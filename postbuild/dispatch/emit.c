/* emit.c - see emit.h. The text that replaces a chain:
 *
 *     { // ckjit: a table of N rows
 *     checks           #ifdef of words that must not be macros, static_assert on types
 *     columns          struct ckjit_e0 { type f0; … }; static constexpr ckjit_dispatch::function_table<ckjit_e0, N> ckjit_t0 = {…};
 *     rows             static constexpr std::uint16_t ckjit_rows[][width] = {{shape, cell, …}, …};
 *     ckjit_begun      a byte for each row, if rows call several functions of blobs
 *     search           sets ckjit_row, then goto ckjit_0_found or ckjit_0_none
 *     ckjit_0_found: { switch over shapes, each with its pointers as locals }
 *     ckjit_0_none:;
 *     }
 *
 * If all rows have one shape with one cell, and a diagram finds them, there is no array of rows:
 * entries stand in the order of rows.
 */
#include "emit.h"

#include "diagram.h"

enum { NOTHING = UINT16_MAX }; /* in place of the shape of a row whose body is empty */

__asm__(".pushsection .rodata\n"
        ".globl emit_prelude\n"
        ".hidden emit_prelude\n"
        "emit_prelude: .incbin \"postbuild/dispatch/prelude.hpp\"\n"
        ".byte 0\n"
        ".popsection\n");

/* ---- data ---- */

/* The compiler checks the conditions that the text cannot show. */
static void put_checks(struct buf *out, const struct table *t) {
  const struct atoms *a = &t->atoms;
  for (size_t i = 0; i < t->words.texts.n; i++)
    buf_printf(out, "#ifdef %s\n#error \"a macro\"\n#endif\n", t->words.texts.args[i]);
  for (size_t i = 0; i < a->words.texts.n; i++)
    buf_printf(out, "#ifdef %s\nstatic_assert(__builtin_constant_p(%s), \"a macro\");\n#endif\n",
               a->words.texts.args[i], a->words.texts.args[i]);
  for (size_t i = 0; i < a->scalars.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_scalar<decltype((%s))>::value, \"\");\n",
               a->scalars.texts.args[i]);
  for (size_t i = 0; i < a->strings.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_string<decltype((%s))>::value, \"\");\n",
               a->strings.texts.args[i]);
  for (size_t i = 0; i < a->pointers.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_pointer<decltype((%s))>::value, \"\");\n",
               a->pointers.texts.args[i]);
  for (size_t i = 0; i < a->types.texts.n; i++)
    buf_printf(out, "static_assert(ckjit_dispatch::is_scalar<%s>::value, \"\");\n", a->types.texts.args[i]);
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
  autofree uint64_t *need = xcalloc(blocks * columns, sizeof *need),
                    *all = xcalloc(summaries * columns, sizeof *all);
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
  /* A member that its guards say is not set may hold anything: its atom then counts for nothing,
   * but the compiler must not conclude anything from it. */
  buf_puts(out, "__asm__(\"\" : \"+m\"(ckjit_v));\n");
}

/* Guarded atoms: evaluated for a row that is left, in order, each at most once a call. */
static void put_guard(struct buf *out, const struct table *t, const uint32_t *bit) {
  size_t guarded = 0;
  autofree_buf list = {0}, at = {0};
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
}

/* Do all rows have one shape with one cell? They need no numbers then. */
static bool is_direct(const struct table *t) {
  return t->shape_keys.texts.n == 1 && t->shapes[0].ncolumns == 1;
}

static void put_entries_of_rows(struct buf *out, const struct table *t) {
  for (size_t i = 0; i < t->nrows; i++) {
    buf_puts(out, t->rows[i].nothing ? "{}" : t->columns[0].entries.texts.args[t->rows[i].cells[1]]);
    buf_puts(out, ",\n");
  }
}

/* The words that postbuild/distances.c reads stand before the entries. */
static void put_columns(struct buf *out, const struct table *t, bool direct) {
  for (size_t c = 0; c < t->column_keys.texts.n; c++) {
    const struct column *col = &t->columns[c];
    size_t n = direct ? t->nrows : col->entries.texts.n;
    buf_printf(out, "struct ckjit_e%zu {", c);
    for (size_t k = 0; k < col->types.n; k++)
      buf_printf(out, " %s f%zu;", col->types.args[k], k);
    buf_printf(
        out,
        " };\nstatic constexpr ckjit_dispatch::function_table<ckjit_e%zu, %zu> ckjit_t%zu = {0, &ckjit_t%zu, "
        "ckjit_dispatch::table_mark<%zu",
        c, n, c, c, n);
    for (size_t k = 0; k < col->types.n; k++)
      buf_printf(out, ", %s", col->types.args[k]);
    buf_printf(out, ">::value, sizeof(ckjit_e%zu), %zu, {\n", c, n);
    for (size_t e = 0; e < col->entries.texts.n && !direct; e++) {
      buf_puts(out, col->entries.texts.args[e]);
      buf_puts(out, ",\n");
    }
    if (direct)
      put_entries_of_rows(out, t);
    buf_puts(out, "}};\n");
  }
}

static size_t row_width(const struct table *t) {
  size_t width = 1;
  for (size_t i = 0; i < t->shape_keys.texts.n; i++)
    if (t->shapes[i].ncolumns + 1 > width)
      width = t->shapes[i].ncolumns + 1;
  return width;
}

/* Writes what each row calls. For a search by bits this includes whether there is anything to do; a
 * diagram knows that. */
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

/* Are there rows that call more than one function of a blob? */
static bool calls_several(const struct table *t) {
  bool several = false;
  for (size_t i = 0; i < t->shape_keys.texts.n; i++)
    several |= t->shapes[i].pointers.n > 1;
  return several;
}

/* A row's first call says which functions the row needs: a test of a byte in every other call. */
static void put_begin(struct buf *out, const struct shape *s) {
  if (s->pointers.n < 2)
    return;
  buf_puts(out, "if (__builtin_expect(!__atomic_load_n(&ckjit_begun[ckjit_row], __ATOMIC_RELAXED), 0))\n"
                "ckjit_dispatch::begin(&ckjit_begun[ckjit_row]");
  for (size_t k = 0; k < s->pointers.n; k++)
    buf_printf(out, ", %s", s->pointers.args[k]);
  buf_puts(out, ");\n");
}

static void put_shape(struct buf *out, const struct shape *s) {
  for (size_t k = 0; k < s->locals.n; k++)
    buf_printf(out, "[[maybe_unused]] %s\n", s->locals.args[k]);
  put_begin(out, s);
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
  autofree uint32_t *bit = number_bits(&t->atoms, &nbits);
  buf_puts(out, "{\n");
  put_bits(out, t, bit, nbits);
  put_values(out, &t->atoms, nbits);
  put_guard(out, t, bit);
  buf_printf(out,
             "ckjit_row = ckjit_dispatch::find<%zu>(ckjit_all, ckjit_need, ckjit_v, ckjit_guard);\n}\n"
             "if (ckjit_row == %zu || ckjit_rows[ckjit_row][0] == %d) goto %s_none;\ngoto %s_found;\n",
             t->nrows, t->nrows, NOTHING, prefix, prefix);
}

/* The code that finds the row, as a diagram; false if the rows are too unlike for one. */
static bool diagram(struct buf *out, const struct table *t, const char *prefix) {
  autofree struct diagram_row *rows = xcalloc(t->nrows, sizeof *rows);
  for (size_t i = 0; i < t->nrows; i++)
    rows[i] = (struct diagram_row){t->rows[i].atoms, t->rows[i].natoms, t->rows[i].nothing};
  return diagram_write(out, prefix, &t->atoms, rows, t->nrows);
}

void emit_table(struct buf *out, const struct table *t, const struct chain *c, size_t number) {
  autofree char *prefix = xasprintf("ckjit_%zu", number); /* labels are the function's */
  autofree_buf search = {0};
  bool is_diagram = diagram(&search, t, prefix), direct = is_diagram && is_direct(t);
  if (!is_diagram)
    put_bit_search(&search, t, prefix);
  buf_printf(out, "{ // ckjit: a table of %zu rows\n", t->nrows);
  put_checks(out, t);
  put_columns(out, t, direct);
  if (!direct)
    put_rows(out, t);
  if (calls_several(t))
    buf_printf(out, "static unsigned char ckjit_begun[%zu];\n", t->nrows);
  buf_puts(out, "unsigned ckjit_row = 0;\n");
  buf_add(out, search.data, search.len);
  buf_printf(out, "%s_found: {\n%s\n", prefix,
             direct ? "const unsigned ckjit_r[] = {0, ckjit_row};"
                    : "const auto *const ckjit_r = ckjit_rows[ckjit_row];");
  put_shapes(out, t);
  /* A chain with a last else whose branches all return may be the end of a function that returns a
   * value. */
  if (c->has_else && c->leaves)
    buf_puts(out, "__builtin_unreachable();\n");
  buf_printf(out, "}\n%s_none:;\n}\n", prefix);
}
