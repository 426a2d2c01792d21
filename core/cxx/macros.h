/* macros.h - the macros that texts define, by what they may do to a declaration.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_MACROS_H
#define CKJIT_MACROS_H

#include "cxxlex.h"

#include "core/base/argv.h"

/* Macros by their names: all, those whose bodies change what a declaration is, such as
 * `namespace a {` or `static`, those with visibility("default"), and those with __device__. Those
 * that stand for one other word are in ALIASES as well, as "NAME WORD"; what each stands for is in
 * BODIES, as "NAME define NAME(a, b) body". */
struct macros {
  struct argv all, odd, shown, device, aliases, bodies;
  /* one makes a function one that runs by itself */
  bool runs;
};
/* Add the macros that TEXT, LEN bytes, or T defines. */
void macros_add(struct macros *m, const char *text, size_t len);
void macros_add_code(struct macros *m, const struct cxx_text *t);
/* Sort M, which then can be asked. */
void macros_settle(struct macros *m);
void macros_free(struct macros *m);
/* What WORD, a macro in capitals or not, stands for in the end, by the COUNT sets of macros M; it
 * belongs to WORD or M. */
const char *macros_meant(const struct macros *const *m, size_t count, const char *word);

/* The first of WORDS that is among SORTED (argv_unique); NULL: none. */
const char *words_among(const struct argv *sorted, const struct argv *words);

#endif
