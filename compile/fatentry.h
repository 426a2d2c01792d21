/* fatentry.h - an entry with nothing in it but a fat binary: a kernel of CUDA, or of a lazy unit.
 *
 * The runtime finds ckjit_fatbin, and its size in ckjit_fatbin_size. A size of 0 says that the kernel is not to be had
 * alone, and "*" is to be asked for.
 */
#ifndef CKJIT_COMPILE_FATENTRY_H
#define CKJIT_COMPILE_FATENTRY_H

#include "task.h"

/* Append the entry in assembly: FATBIN, a file (NULL: none), in SECTION, at a multiple of ALIGN bytes. */
void fatentry_source(struct buf *out, const char *section, unsigned align, const char *fatbin);
/* The words behind a compiler, as gcc has them, that make OUTPUT, with T's build id, of the assembly in SOURCE. */
void fatentry_words(struct argv *command, const struct compile_task *t, const char *source,
                    const char *output);

#endif
