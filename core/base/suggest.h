/* suggest.h - "did you mean …?": the known word that an unknown one is probably a misspelling
 * of. */
#ifndef CKJIT_SUGGEST_H
#define CKJIT_SUGGEST_H

/* The one of NAMES (ends with NULL) that TEXT is likely a misspelling of; NULL if there is none.
 * Borrowed. */
const char *suggest(const char *text, const char *const *names);
/* "; did you mean 'full'?" to append to a message, or "" if no name is similar. free() it. */
char *did_you_mean(const char *text, const char *const *names);

/* "home, full, quick or relink"; free() it. */
char *one_of(const char *const *names);

#endif
