/* cause.h - the lines of a failed build's output that say why it failed. */
#ifndef CKJIT_DRIVER_CAUSE_H
#define CKJIT_DRIVER_CAUSE_H

#include "core/base/base.h"

/* Append to OUT those lines of the N bytes of TEXT, each once, in order, long ones cut. False if
 * there is none; then the end of TEXT is the best alternative. */
bool cause_lines(struct buf *out, const char *text, size_t n);

#endif
