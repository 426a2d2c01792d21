/* cause.h - of what a failed build said, the lines that say why. */
#ifndef CKJIT_DRIVER_CAUSE_H
#define CKJIT_DRIVER_CAUSE_H

#include "core/base/base.h"

/* Append to OUT those of the N bytes of TEXT, each line once, in their order, and shortened if it is a command. False if
 * none is known for one: then the end of TEXT is the best that there is. */
bool cause_lines(struct buf *out, const char *text, size_t n);

#endif
