/* trust.h - names that were written down when a library was built: may what is there now be used? The rule is that of
 * abi/ck_jit_trust.h. */
#ifndef CKJIT_TRUST_H
#define CKJIT_TRUST_H

#include "base.h"

/* Why PATH, absolute, is not to be trusted: which part of it, whose that is, and what was expected, a text of two lines; free() it. NULL: it is. */
char *trust_why(const char *path);

#endif
