/* trust.h - may what is at a path be used, or could another user have put it there? The rule is
 * that of abi/ck_jit_trust.h.
 *
 * Two questions. A name that was written down when a library was built is looked at from the
 * root directory on (trust_why): what the user made there may be gone. A directory that the user
 * names now, such as a work directory, is the user's word as far as its parents go; it has to be
 * the user's own, and so has all that is read or run in it (trust_own_why).
 *
 * Thread-safe. */
#ifndef CKJIT_TRUST_H
#define CKJIT_TRUST_H

#include "base.h"

/* Why PATH, absolute, is not to be trusted: which part of it, whose that is, and what was expected, a text of two lines; free() it. NULL: it is. */
char *trust_why(const char *path);

/* The same of the last part of PATH, or of REST below PATH if REST is not NULL: whether it, or a
 * symbolic link that it is, belongs to root or the user and nobody else may write to it. What is
 * above is not looked at. */
char *trust_own_why(const char *path, const char *rest);

/* End the program unless that holds for PATH. WHAT names it in the message: "the work
 * directory"; TODO is what to do. */
void trust_own(const char *path, const char *what, const char *todo);

/* The same of a file that is open at FD. NULL, or what is wrong, as text that follows its name. */
const char *trust_open_why(int fd);

#endif
