/* table.h - a chain of conditions read as a table.
 *
 * A row is a branch: the conditions that it needs, and what its body calls. Bodies that differ only
 * in which functions of blobs they call share one text, a *shape*; the functions' addresses stand
 * in *columns*, arrays of distinct entries, and a row has the number of its shape and of one entry
 * for each column of the shape, its *cells*:
 *
 *     if (a && x == 1) { using t = T<1>; return f<t>(s, p); }
 *     if (a && x == 2) { using t = T<2>; return f<t>(s, p); }
 *
 *     shape 0     return ckjit_p0_0(s, p);
 *     column 0    {&f<T<1>>}, {&f<T<2>>}
 *     rows        atoms a, x == 1; cells 0, 0
 *                 atoms a, x == 2; cells 0, 1
 *
 * emit.h writes it. Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_TABLE_H
#define CKJIT_DISPATCH_TABLE_H

#include "chain.h"
#include "condition.h"
#include "helper.h"

#include "core/base/intern.h"

enum { TABLE_COLUMNS = 64 };

struct row {
  uint16_t *atoms;
  size_t natoms;
  bool nothing; /* its body is empty */
  /* the shape, then an entry for each column of the shape */
  uint32_t cells[TABLE_COLUMNS];
};

/* One array of entries, {&f<X>, &g<X>, …}: of a function, or of those uses of a helper that mention
 * the same template parameters. */
struct column {
  const struct helper *helper;
  uint32_t tparams;
  struct intern entries;
  /* of the members, from the first entry */
  struct argv types;
};

/* Bodies of one text. */
struct shape {
  /* the cells that follow the first cell of its rows */
  size_t ncolumns;
  /* what is declared in front of the text */
  struct argv locals;
  /* those of them that are functions of blobs */
  struct argv pointers;
  char *text;
};

struct table {
  /* what it was read with; borrowed */
  const struct cxx_scan *s;
  const struct functions *f;
  const struct helpers *hs;

  struct atoms atoms;
  struct row *rows;
  size_t nrows;
  struct shape *shapes; /* one for each of shape_keys */
  struct intern shape_keys;
  struct column *columns; /* one for each of column_keys */
  struct intern column_keys;
  /* that no macro must have: it could name what was taken out of the text */
  struct intern words;
};

/* Read the chain C of the dispatcher S into T; free it with table_free either way. False: C must
 * stay as it is. */
bool table_read(struct table *t, const struct chain *c, const struct cxx_scan *s, const struct functions *f,
                const struct helpers *hs);
void table_free(struct table *t);

#endif
