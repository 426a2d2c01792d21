/* unit.h - the entry of one kernel of a lazy unit, or of all of them.
 *
 * A lazy unit is a source of HIP whose host side was compiled at the build, and whose kernels are
 * compiled when they are first launched, from the preprocessed text that the build has left
 * (core/files/unittext.h). The result is a fat binary in a separate entry (compile/codeentry.h),
 * which the shim in the library registers.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_H
#define CKJIT_COMPILE_UNIT_H

#include "compile/turn.h"

/* Gets into the cache, by NEED, the entries that T needs before it has its directory, if T is a
 * kernel of a unit: the front end's bitcode, or the parts of its device link. */
bool unit_needs(const struct compile_task *t, need_fn *need, char **err);
/* Make OUTPUT, the entry of kernel T->kernel ("*": all of them) of the unit whose text is in
 * T->source, with T->flags, for T's architectures. */
bool unit_make(struct compile_task *t, const char *temporary, const char *output, char **err);

/* Append the words with which T's compiler reads a unit's text of HIP, or the text with one kernel
 * selected. */
void unit_text_words(struct argv *words, const struct compile_task *t);
/* Write to FILE what T->kernel of a unit of HIP is compiled from for ARCH, to be exported: with the
 * functions of the host's, or, without HOSTS, without. */
bool unit_text_export(const struct compile_task *t, const char *arch, bool hosts, const char *file,
                      char **err);

#endif
