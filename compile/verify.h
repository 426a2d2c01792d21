/* verify.h - checks that a compile ran and read the files from which the key was made.
 *
 * A difference becomes part of the build id (variant.h), or is an error if it concerns the
 * library's own files. A task without a list of inputs passes. Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_VERIFY_H
#define CKJIT_COMPILE_VERIFY_H

#include "task.h"

/* Compare what would run: ANSWER is what the compiler of COMMAND says to -### or --dryrun, in the
 * environment ENV. */
void verify_answer(const struct compile_task *t, const struct argv *command, const char *answer,
                   const struct argv *env);
/* The same for a plain command whose compiler has not been asked yet: it is asked, beside the
 * compile, between begin and end. TEMPORARY is the directory of the compile. */
void verify_begin(const struct compile_task *t, const struct argv *command, const char *temporary);
void verify_end(const struct compile_task *t, const struct argv *command, const char *temporary);

/* The same before a compile, which waits for the answer, in the environment ENV. The answer is in
 * T->seen as well. */
void verify_ask(const struct compile_task *t, const struct argv *command, const struct argv *env);

/* The programs that differ, as text; "": none. free() it. */
char *verify_programs(const struct compile_task *t);

/* T is compiled: compare what was read, and set T->learnt. False: a file of the library's tree was
 * found in place of the one that it was linked with. */
bool verify_made(struct compile_task *t, char **err);

#endif
