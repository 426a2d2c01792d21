/* learnt.h - what only shows when a blob is compiled, remembered for the next process that wants
 * it.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_LEARNT_H
#define CKJIT_COMPILE_LEARNT_H

#include "task.h"

/* One file that a compile ran or read and that is not in the list of inputs as it is now: "WORD
 * DIGEST PATH". */
char *learnt_line(const char *word, const char *digest, const char *path);
/* "WORD DIGEST" of such a line: what a variant has of it. free() it. */
char *learnt_word(const char *line);

/* Set T->learnt and T->learnt_files from what earlier compiles of T found, if it still is so. */
void learnt_find(struct compile_task *t);
/* The compile of T has found FILES, learnt_line() of each; none: all was as in the list. Set T's
 * learnt from them, and remember them. */
void learnt_set(struct compile_task *t, const struct argv *files);

/* The digest of FILE now. It may be large: it is not read again as long as its stamp is the
 * same. */
void learnt_digest(const struct compile_task *t, const char *file, char digest[DIGEST_HEX]);

#endif
