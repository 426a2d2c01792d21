/* diagram.h - the rows of a table as a decision diagram: tests that lead to the first row that
 * holds.
 *
 * The diagram asks what the chain would ask, in its order: always for the first condition that is open of the
 * first row that is still possible. What is left of the rows after an answer is a list of the same kind, and
 * lists that differ only in where they begin are one node, for the row's number is the sum of the distances
 * on the way. CK's generators write their rows in nested loops, so that most of them are alike: 2,112 rows of
 * its backward dispatcher are a few dozen nodes, and a call makes about eleven tests, as many as the chain
 * needs for its first row.
 *
 * Two conditions `x == 1` and `x == 2` are one variable with three answers; that the constants differ is
 * checked by the compiler.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_DIAGRAM_H
#define CKJIT_DISPATCH_DIAGRAM_H

#include "condition.h"

/* One row: the atoms that it needs, in order. With NOTHING there is nothing to do for it. */
struct diagram_row {
  const uint16_t *atoms;
  size_t n;
  bool nothing;
};

/* Append code to OUT that adds the number of the first of the N rows that holds to ckjit_row, which must be
 * 0, and goes to the label PREFIX_found, or to PREFIX_none where there is no such row or nothing to do.
 * False, and OUT as it was, where the rows are so unlike each other that the code would be large. */
bool diagram_write(struct buf *out, const char *prefix, const struct atoms *a, const struct diagram_row *rows,
                   size_t n);

#endif
