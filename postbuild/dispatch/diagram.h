/* diagram.h - the rows of a table as a decision diagram: tests that lead to the first row that
 * holds.
 *
 * The diagram tests the conditions of the chain in their order: always the first open condition of
 * the first row that is still possible. The rows that remain after an answer are a list of the same
 * kind. Lists that differ only in the number of their first row are one node, because the number of
 * the row is the sum of the distances on the way:
 *
 *     rows                                  code
 *     0  x == 1, m == 1                     if (x == 1) goto n1;
 *     1  x == 1, m == 2                     if (x == 2) { row += 2; goto n1; }
 *     2  x == 2, m == 1                     goto none;
 *     3  x == 2, m == 2                     n1: if (m == 1) goto found;
 *                                               if (m == 2) { row += 1; goto found; }
 *                                               goto none;
 *
 * CK's generators write their rows in nested loops, so most lists are alike: 2,112 rows of its
 * backward dispatcher are a few dozen nodes, and a call makes about eleven tests, as many as the
 * chain needs for its first row.
 *
 * Two conditions `x == 1` and `x == 2` are one variable with three answers. The compiler checks
 * that the constants differ.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_DIAGRAM_H
#define CKJIT_DISPATCH_DIAGRAM_H

#include "condition.h"

/* One row: the atoms that it needs, in order. NOTHING: its body is empty. */
struct diagram_row {
  const uint16_t *atoms;
  size_t n;
  bool nothing;
};

/* Append code to OUT that sets ckjit_row, which must be 0, to the number of the first of the N rows
 * that holds, and goes to the label PREFIX_found; or to PREFIX_none if no row holds or its body is
 * empty. False, and OUT as it was, if the rows are so unlike each other that the code would be
 * large. */
bool diagram_write(struct buf *out, const char *prefix, const struct atoms *a, const struct diagram_row *rows,
                   size_t n);

#endif
