/* find_compiler.h - which program compiles.
 *
 * Errors as in task.h, without a stem.
 */
#ifndef CKJIT_COMPILE_FIND_COMPILER_H
#define CKJIT_COMPILE_FIND_COMPILER_H

#include "task.h"

/* Set T's compiler and its kind: OPTION (--hipcc), the variable of KIND, BY_DEFAULT (--build-hipcc
 * or the manifest's; may be NULL), if nobody but root and the user can have put it there, the PATH,
 * the usual places, a Python package beside LIBRARY (NULL: none) or conda's. KIND is what --kind or the manifest says; NULL, from a library or a command
 * line of before they did: what the name of BY_DEFAULT says, or else that of OPTION. */
bool find_compiler(struct compile_task *t, const struct compiler *kind, const char *option,
                   const char *by_default, const char *library, char **err);

#endif
