/* rename.h - the names that --symbol asks for (symbol.h), given to the kernel or function that is
 * meant.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_RENAME_H
#define CKJIT_COMPILE_EXPORT_RENAME_H

#include "way.h"

/* a form of text in which kernels have names: how they are found (kernels.h) and changed
 * (symbol.h) */
struct text_form {
  bool (*kernels)(struct kernels *k, const char *text);
  char *(*rename)(const char *text, const char *old, const char *name, char **err);
};

/* Give the kernels in *TEXT, which is replaced, their names. */
bool export_rename_kernels(struct export *x, char **text, const struct text_form *form, char **err);
/* Give the functions in OBJECTS, files that are changed in place, their names. */
bool export_rename_functions(const struct export *x, const struct argv *objects, char **err);

#endif
