/* symbol.h - another name for what is exported.
 *
 * Errors as in compile/task.h, but without the stem.
 */
#ifndef CKJIT_COMPILE_EXPORT_SYMBOL_H
#define CKJIT_COMPILE_EXPORT_SYMBOL_H

#include <stdbool.h>

/* Call what the relocatable object FILE defines as OLD (NULL: its only function that a host program
 * can mean) NAME. *FOUND tells whether it defines it. */
bool symbol_rename_object(const char *file, const char *old, const char *name, bool *found, char **err);
/* LLVM's TEXT with kernel OLD called NAME everywhere; free() it. NULL: it has no OLD, or a NAME
 * already. */
char *symbol_rename_ir(const char *text, const char *old, const char *name, char **err);
/* the same in PTX */
char *symbol_rename_ptx(const char *text, const char *old, const char *name, char **err);

#endif
