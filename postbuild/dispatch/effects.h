/* effects.h - expressions for which it makes no difference whether they are evaluated early, once
 * or not at all.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_EFFECTS_H
#define CKJIT_DISPATCH_EFFECTS_H

#include "condition.h"

/* Is R, tokens of A's dispatcher, such an expression, as far as its text shows? Conditions that the
 * compiler must check for that are added to A. *GUARDED: it may only be evaluated once the
 * conditions before it are known to hold. */
bool effects_none(struct atoms *a, struct range r, bool *guarded);

#endif
