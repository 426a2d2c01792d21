/* find_compiler.h - which program compiles.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_FIND_COMPILER_H
#define CKJIT_COMPILE_FIND_COMPILER_H

/* The compiler of KIND (NULL: of the kind of BY_DEFAULT, or else of OPTION), as a path: OPTION (--hipcc),
 * the kind's variable, BY_DEFAULT (the manifest's; may be NULL), the PATH, the usual places. *COMPILER is
 * the caller's to free(). */
char *compile_find_compiler(char **compiler, const char *kind, const char *option, const char *by_default);

#endif
