/* commute.h - which flags of a gcc, clang or hipcc line may change places without changing the code.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMMUTE_H
#define CKJIT_COMMUTE_H

#include <stdbool.h>
#include <stddef.h>

enum commute {
  COMMUTE_NOT,  /* nothing is known: it keeps its place relative to all others */
  COMMUTE_KEPT, /* it keeps its place relative to flags of this kind, and may change it with COMMUTE_FREE */
  COMMUTE_FREE, /* it may change places with any known flag but those of its own family */
};

/* Word A of a command line, with B, the next word, if that is its value; else NULL. If the answer is
 * COMMUTE_FREE, *FAMILY is a new string, within which order matters: -fx and -fno-x, -DM=1 and -UM. */
enum commute commute_of(const char *a, const char *b, char **family);

/* Is VALUE, behind -mllvm, the value of the -mllvm before it? Then that pair may not be torn apart. */
bool commute_is_continued(const char *value);

/* Example I of what the table holds, as a command line; NULL behind the last. For tests, which ask compilers
 * whether the table is right. *KIND: what commute_of says of it. */
const char *commute_example(size_t i, enum commute *kind);

#endif
