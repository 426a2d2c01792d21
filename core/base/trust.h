/* trust.h - may the file at a path be used, or could another user have put it there? The rule is
 * that of abi/ck_jit_trust.h.
 *
 * There are two questions. A name from the time when a library was built is examined from the root
 * directory on (trust_why), because the directories that the user made there may be gone. For a
 * directory that the user names now, such as a work directory, its parents are trusted. The
 * directory itself must be the user's own, and so must all files in it that are read or run
 * (trust_own_why).
 *
 * Thread-safe. */
#ifndef CKJIT_TRUST_H
#define CKJIT_TRUST_H

#include "base.h"

/* Why PATH, absolute, is not trusted: the part, its owner, and the expected state, a text of two
 * lines; free() it. NULL: it is trusted. */
char *trust_why(const char *path);

/* The same for the last part of PATH, or for REST below PATH if REST is not NULL: it, or a symbolic
 * link that it is, must belong to root or the user and nobody else may write to it. Directories
 * above are not examined. */
char *trust_own_why(const char *path, const char *rest);

/* End the program unless that is so for PATH. WHAT names it in the message: "the work directory";
 * TODO is the advice. */
void trust_own(const char *path, const char *what, const char *todo);

/* The same for a file that is open at FD. NULL, or the reason, as text that follows its name. */
const char *trust_open_why(int fd);

#endif
