/* argv.h - argument vectors: building, splitting, quoting, response files, and running one without a shell.
 *
 * Splitting and quoting follow GNU response files (libiberty's expandargv, which gcc, clang and ld share):
 * white space separates, '…' and "…" group, a backslash takes the next character literally, also within
 * quotes.
 */
#ifndef CKJIT_ARGV_H
#define CKJIT_ARGV_H

#include "base.h"

/* A NULL-terminated vector that owns its strings. Start with {0}; args is NULL until something was added. */
struct argv {
  char **args;
  size_t n;
};

void argv_add(struct argv *v, const char *arg);
/* takes ARG over */
void argv_add_own(struct argv *v, char *arg);
/* takes ARG over; adds it if it is not there */
void argv_add_once(struct argv *v, char *arg);
void argv_addf(struct argv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void argv_add_all(struct argv *v, char *const *args);
void argv_free(struct argv *v);

/* whether one of V is WORD, or begins with PREFIX */
bool argv_has(const struct argv *v, const char *word);
bool argv_has_prefix(const struct argv *v, const char *prefix);
/* sort V bytewise, and leave each text in it once */
void argv_sort(struct argv *v);
void argv_unique(struct argv *v);

/* append the words of TEXT; false where the last one lacks its closing quote */
bool argv_split(struct argv *v, const char *text, size_t len);
/* append ARG to OUT so that argv_split gives it back as one word */
void argv_quote(struct buf *out, const char *arg);
/* all of ARGS, quoted, one space between; free() it */
char *argv_join(char *const *args);

/* Append ARGS to V with each @file replaced by its words, nested files too, relative names taken from
 * directory CWD. An @file that cannot be read stays as it is, as in gcc and clang. So does what can be read
 * only once (@/dev/fd/63 of a shell's <(…) is the real compiler's to read), nesting deeper than 32, and all
 * after the 2000th file. False where gcc and clang find other words in one of the files; V has those of one
 * of them. */
bool argv_expand(struct argv *v, const char *cwd, char *const *args);

#endif
