/* emit.h - a table (table.h) written as C++ in the place of its chain.
 *
 * The first row all of whose conditions hold is found by a diagram (diagram.h), or, if the rows are
 * too unlike each other for one, by bits: each condition is evaluated once; of 64 rows at a time
 * those remain that no false condition rules out; and likewise for 64 such blocks at a time, so
 * that of thousands of rows a call looks at a few words. Nothing is assumed of the conditions: the
 * row that is found is the branch that the chain would have taken. A condition that may only be
 * evaluated after others (condition.h) has no bit: it is evaluated for the remaining rows, in their
 * order, as the chain would have done.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_EMIT_H
#define CKJIT_DISPATCH_EMIT_H

#include "table.h"

/* The text before the first table of a file, at namespace scope: prelude.hpp, which is embedded in
 * the program. */
extern const char emit_prelude[] __attribute__((visibility("hidden")));

/* Append T, which was read from C, to OUT. No other table of the file has NUMBER. */
void emit_table(struct buf *out, const struct table *t, const struct chain *c, size_t number);

#endif
