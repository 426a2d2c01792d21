/* symbol.h - another name for what is exported.
 *
 * Errors as in compile/task.h, but without the stem.
 */
#ifndef CKJIT_COMPILE_EXPORT_SYMBOL_H
#define CKJIT_COMPILE_EXPORT_SYMBOL_H

#include <stdbool.h>

/* Call what the relocatable object FILE defines as OLD (NULL: its only function that a host program can
 * mean) NAME. *FOUND tells whether it defines it. */
char *symbol_rename_object(const char *file, const char *old, const char *name, bool *found);
/* Call kernel OLD NAME everywhere in LLVM's TEXT. The new text is the caller's to free(). NULL: it has no
 * OLD; or it has a NAME already, and *WHY says so. */
char *symbol_rename_ir(const char *text, const char *old, const char *name, char **why);
/* the same in PTX */
char *symbol_rename_ptx(const char *text, const char *old, const char *name, char **why);

#endif
