/* table.h - a chain of conditions written as a table.
 *
 * A row is a branch: the conditions that it needs, and what its body calls, as numbers. The first row all of
 * whose conditions hold is found by a diagram (diagram.h), or, where the rows are too unlike each
 * other for one, by bits: each condition is evaluated once; for 64 rows at a time those are left that no
 * false condition rules out; and likewise for 64 such blocks at a time, so that of thousands of rows a call
 * looks at a few words. Nothing is assumed of the conditions: the row that is found is the branch that the
 * chain would have taken. A condition that may only be evaluated behind others (condition.h) has no
 * bit: it is evaluated for the rows that are left, in their order, as the chain would have.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_TABLE_H
#define CKJIT_DISPATCH_TABLE_H

#include "chain.h"
#include "helper.h"

/* What stands before the first table of a file, at namespace scope. */
extern const char table_prelude[];

/* Append C as a table to OUT; no other table of the file has NUMBER. Returns the number of its rows, or 0
 * with OUT as it was: C must stay. */
size_t table_write(struct buf *out, const struct chain *c, size_t number, const struct cxx_scan *s,
                   const struct functions *f, const struct helpers *hs);

#endif
