/* suggest.h - "did you mean …?": the known word that an unknown one was probably meant to be. */
#ifndef CKJIT_SUGGEST_H
#define CKJIT_SUGGEST_H

/* The one of NAMES (ends with NULL) of which TEXT is a likely misspelling; NULL if there is none. Borrowed. */
const char *suggest(const char *text, const char *const *names);
/* "; did you mean 'full'?" to append to a message, or "" if no name is similar. free() it */
char *did_you_mean(const char *text, const char *const *names);

/* "home, full, quick or relink"; free() it */
char *one_of(const char *const *names);

#endif
