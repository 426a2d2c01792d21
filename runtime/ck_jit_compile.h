/* ck_jit_compile.h - having ckjit-compile make what is wanted.
 *
 * ckjit-compile is a process of its own. It finds out the rest of the command (the compiler, the passes),
 * waits for other processes that are at the same blob, and stores the result in the cache or in an unlinked
 * file.
 */
#ifndef CK_JIT_COMPILE_H
#define CK_JIT_COMPILE_H

#include "ck_jit_wanted.h"

/* Have W compiled into the cache, or into W's file: true if ckjit-compile ran and did not say that it failed.
 * W's build id may be another one afterwards, of the same key. *OTHERS, unless OTHERS is NULL: another process made it. MISSING collects what to tell the user if the
 * entry is not there all the same. With CK_JIT_ON_MISS=error nothing is compiled, and
 * MISSING says so. Thread-safe; takes seconds to minutes. */
CKJIT_LOCAL bool ckjit_compile(struct ckjit_wanted *w, struct ckjit_text *missing, bool *others);

/* The words of the command that compiles W, each with its NUL, appended to WORDS. False, and why in ERROR, if there is none. */
CKJIT_LOCAL bool ckjit_command(const struct ckjit_wanted *w, struct ckjit_text *words,
                               struct ckjit_text *error);

#endif
