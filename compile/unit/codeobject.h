/* codeobject.h - what a code object with one kernel of a lazy unit says: may the kernel be used
 * without the others?
 *
 * Never reads outside of its bytes, whatever they hold. Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_UNIT_CODEOBJECT_H
#define CKJIT_COMPILE_UNIT_CODEOBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* True if the SIZE bytes are a code object of AMD's with KERNEL in it, compiled of its body
 * (devicetext_select; MARKED: it was compiled of a text with it selected), and no variable that another kernel or the host may write. Else false, and
 * *WHY says so. CONSTANTS: the unit's text has some that the host may (devicetext_variables). */
extern const char codeobject_shares[]; /* *WHY, if it is for a variable */
bool codeobject_stands_alone(const char *bytes, size_t size, const char *kernel, bool constants, bool marked,
                             const char **why);

#endif
