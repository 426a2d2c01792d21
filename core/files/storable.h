/* storable.h - which words the manifest and the state of a link can hold: both are JSON, and their paths begin with words in braces.
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
