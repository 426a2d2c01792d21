/* suggest.h - "did you mean …?": which of the words that are known was meant by one that is not. */
#ifndef CKJIT_SUGGEST_H
#define CKJIT_SUGGEST_H

/* The one of NAMES, which end with NULL, that TEXT is a likely misspelling of; NULL if none is. Borrowed. */
const char *suggest(const char *text, const char *const *names);
/* "; did you mean 'full'?", to be put after a message, or "" if no name is near. free() it */
char *did_you_mean(const char *text, const char *const *names);

/* "home, full, quick or relink"; free() it */
char *one_of(const char *const *names);

#endif
