/* inputs.h - checks that the files to compile are still those from which the key was made.
 *
 * They are compared with the list that the post-build linker left (core/cache/inputs.h), before the
 * compile and again after it. A task without a list passes. Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_INPUTS_H
#define CKJIT_COMPILE_INPUTS_H

#include "task.h"

/* Before anything is done: may T be compiled? If so, its build id is worked out. */
bool compile_inputs_check(struct compile_task *t, char **err);
/* After the compile: may the result be kept? */
bool compile_inputs_again(const struct compile_task *t, char **err);
/* Returns which of T's source, headers and tools, or of the names that lead there, is not what it was at
 * compile_inputs_check; NULL: none. free() it. */
char *compile_inputs_changed(const struct compile_task *t);

/* The key of T's source, which is its text if it has one and else the file as it is now, with T's
 * flags, LINK and what IN says of headers and compiler. False with errno. */
bool compile_inputs_key(uint8_t key[CKJIT_KEY_SIZE], const struct compile_task *t, const char *link,
                        const struct inputs *in);

#endif
