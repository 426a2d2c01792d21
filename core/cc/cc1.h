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

/* Append to OUT the command that writes the text of PASS, a step of a driver, to TEXT, and the files
 * that it reads to DEPFILE: in the form that PASS asks for or, with OWN, with all of them. */
void cc1_text(struct argv *out, const struct argv *pass, const char *text, const char *depfile, bool own);

/* Append to OUT the words with which a driver has its pass write all files that it reads to DEPFILE:
 * that of clang 22 writes no depfile itself in a device's pass. */
void cc1_depfile(struct argv *out, const char *depfile);

#endif
