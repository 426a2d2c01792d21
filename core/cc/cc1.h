/* cc1.h - the command of clang's device pass in two: its front end, and what follows.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CC1_H
#define CKJIT_CC1_H

#include "core/base/argv.h"

/* From PASS, which compiles a HIP source for a device into an object: append to FRONT the command
 * of the front end, which reads TEXT and writes BITCODE, and to BACK what follows it, with CICC_IN
 * and CICC_OUT (cicc.h) for its files. WITHOUT, a word, is in neither. False: PASS cannot be
 * divided. */
bool cc1_divide(const struct argv *pass, const char *text, const char *bitcode, const char *without,
                struct argv *front, struct argv *back);

#endif
