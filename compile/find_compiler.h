/* find_compiler.h - which program compiles.
 *
 * Errors as in task.h, without a stem.
 */
#ifndef CKJIT_COMPILE_FIND_COMPILER_H
#define CKJIT_COMPILE_FIND_COMPILER_H

/* The compiler of KIND (NULL: of the kind of BY_DEFAULT, or else of OPTION), as a path: OPTION (--hipcc),
 * the kind's variable, BY_DEFAULT (the manifest's; may be NULL), the PATH, the usual places. free() it */
char *find_compiler(const char *kind, const char *option, const char *by_default, char **err);

#endif
