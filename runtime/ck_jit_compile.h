/* ck_jit_compile.h - runs ckjit-compile for a wanted entry.
 *
 * ckjit-compile is a separate process. It completes the command (compiler, passes), waits for other
 * processes that compile the same blob, and stores the result in the cache or in an unlinked file.
 */
#ifndef CK_JIT_COMPILE_H
#define CK_JIT_COMPILE_H

#include "ck_jit_wanted.h"

/* Compile W into the cache, or into W's file: true if ckjit-compile ran and reported no failure.
 * W's build id may differ afterwards, with the same key. *OTHERS, unless OTHERS is NULL: another
 * process made it. MISSING collects the message for the case that there is no entry all the same.
 * With CK_JIT_ON_MISS=error it compiles nothing, and MISSING says so. Thread-safe; takes seconds to
 * minutes. */
CKJIT_LOCAL bool ckjit_compile(struct ckjit_wanted *w, struct ckjit_text *missing, bool *others);

/* Append the words of the command that compiles W to WORDS, each with its NUL. False, and the
 * reason in ERROR, if there is no such command. */
CKJIT_LOCAL bool ckjit_command(const struct ckjit_wanted *w, struct ckjit_text *words,
                               struct ckjit_text *error);

#endif
