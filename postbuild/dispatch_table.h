/* dispatch_table.h - a chain of conditions written as a table.
 *
 * A row is a branch: the atoms that its condition needs, as bits, and what its body calls, as numbers. A call
 * evaluates each atom once, and finds the first row all of whose atoms hold: for 64 rows at a time, the rows
 * that no false atom rules out are left; and likewise for 64 such blocks at a time, so that of thousands of
 * rows it looks at a few words. Nothing is assumed of the atoms, such as that `x == 1` and `x == 2` exclude
 * each other: the row that is found is the branch that the chain would have taken.
 *
 * An atom that may only be evaluated behind others (dispatch_condition.h) has no bit: it is evaluated for the
 * rows that are left, in their order, as the chain would have.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_TABLE_H
#define CKJIT_DISPATCH_TABLE_H

#include "dispatch_chain.h"
#include "dispatch_helper.h"

/* What stands before the first table of a file, at namespace scope. */
extern const char table_prelude[];

/* Append C as a table to OUT. Returns the number of its rows, or 0 with OUT as it was: C must stay. */
size_t table_write(struct buf *out, const struct chain *c, const struct cxx_scan *s,
                   const struct functions *f, const struct helpers *hs);

#endif
