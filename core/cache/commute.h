/* commute.h - which flags of a gcc, clang or hipcc line may change places without changing the
 * code.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMMUTE_H
#define CKJIT_COMMUTE_H

#include <stdbool.h>
#include <stddef.h>

enum commute {
  COMMUTE_NOT, /* unknown: it keeps its place relative to all others */
  /* It keeps its place relative to flags of this kind, and may change places with COMMUTE_FREE. */
  COMMUTE_KEPT,
  /* It may change places with any known flag outside of its family. */
  COMMUTE_FREE,
};

/* Classify word A of a command line, with B, the next word, if that is its value, else NULL. If the
 * answer is COMMUTE_FREE, *FAMILY is a new string, within which order matters: -fx and -fno-x,
 * -DM=1 and -UM. */
enum commute commute_of(const char *a, const char *b, char **family);

/* Is VALUE, after -mllvm, the value of the -mllvm before it? Then the two must stay together. */
bool commute_is_continued(const char *value);

/* Example I from the tables, as a command line; NULL after the last. For tests, which ask compilers
 * whether the tables are right. *KIND: the answer of commute_of. */
const char *commute_example(size_t i, enum commute *kind);

#endif
