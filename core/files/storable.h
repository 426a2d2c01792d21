/* storable.h - which words can be part of the manifest and of the state of a link: both are JSON,
 * and their paths begin with words in braces.
 *
 * Thread-safe.
 */
#ifndef CKJIT_STORABLE_H
#define CKJIT_STORABLE_H

#include <stdbool.h>

#define STATE_JIT "{jit}" /* stands for the work directory */

/* Is WORD UTF-8, and without STATE_JIT? */
bool word_is_storable(const char *word);

#endif
