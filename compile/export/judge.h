/* judge.h - is there code in what was made?
 *
 * A kernel of CK's is guarded by architecture in one of two ways. The newer: an #if around the
 * whole specialisation, so that the device pass for another architecture finds no kernel. The
 * older: an #if around the kernel's body, which is then empty. Either compiles without a word, and
 * what comes out does nothing. Nobody wants to export that.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_JUDGE_H
#define CKJIT_COMPILE_EXPORT_JUDGE_H

#include "way.h"

/* Whether K, the kernels found for ARCH (N bytes), are code for it. */
bool export_judge(struct export *x, const struct kernels *k, const char *arch, size_t n, char **err);
/* the error that nothing is there for ARCH (N bytes); false */
bool export_no_kernel(const struct export *x, const char *arch, size_t n, char **err);

#endif
