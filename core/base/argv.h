/* argv.h - argument vectors: building, splitting, quoting, response files.
 *
 * Splitting and quoting follow GNU response files (libiberty's expandargv, which gcc, clang and ld
 * share): white space separates words, '…' and "…" group, a backslash makes the next character
 * literal, also inside quotes.
 */
#ifndef CKJIT_ARGV_H
#define CKJIT_ARGV_H

#include "base.h"

/* A NULL-terminated vector that owns its strings. Start with {0}; args is NULL until something was
 * added. */
struct argv {
  char **args;
  size_t n;
};

void argv_add(struct argv *v, const char *arg);
/* Append ARG and take ownership of it. */
void argv_add_own(struct argv *v, char *arg);
/* Take ownership of ARG, and append it unless it is in V already. */
void argv_add_once(struct argv *v, char *arg);
/* Append several words; a NULL ends them. */
void argv_add_words(struct argv *v, const char *word, ...) __attribute__((sentinel));
void argv_addf(struct argv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void argv_add_all(struct argv *v, char *const *args);
void argv_free(struct argv *v);
#define autofree_argv __attribute__((cleanup(argv_free))) struct argv

/* Remove from V all words that OTHERS has as well. */
void argv_drop_all(struct argv *v, const struct argv *others);
/* Is a word of V equal to WORD; does one begin with PREFIX? */
bool argv_has(const struct argv *v, const char *word);
bool argv_has_prefix(const struct argv *v, const char *prefix);
/* The word of V after the first WORD; NULL: there is none. */
const char *argv_after(const struct argv *v, const char *word);
/* Sort V bytewise; sort it and drop duplicates. */
void argv_sort(struct argv *v);
void argv_unique(struct argv *v);

/* Append the words of TEXT; false if the last one lacks its closing quote. */
bool argv_split(struct argv *v, const char *text, size_t len);
/* Append ARG to OUT, quoted so that argv_split reads it back as one word. */
void argv_quote(struct buf *out, const char *arg);
/* Append WORD to OUT as a shell reads it: for a command that the user types. */
void argv_quote_shell(struct buf *out, const char *word);
/* The same, with quotes even if the shell needs none, so that a reader can recognise them. */
void argv_in_quotes(struct buf *out, const char *word);
/* All of ARGS, quoted and separated by single spaces; free() it. */
char *argv_join(char *const *args);

/* Append ARGS to V with each @file replaced by its words, recursively; relative names are relative
 * to the directory CWD. Some @file words stay as they are: one that cannot be read, as in gcc and
 * clang; one that can be read only once (@/dev/fd/63 of a shell's <(…), which is for the real
 * compiler); those nested deeper than 32; and all after the 2000th file. False if gcc and clang
 * would find different words in one of the files; V then has those of one of them. */
bool argv_expand(struct argv *v, const char *cwd, char *const *args);

#endif
