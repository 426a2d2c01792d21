/* headermacros.h - calls of macros at namespace scope of a header: what do they stand for?
 *
 *     DEPRECATED(void old(int), "use f");      a declaration: nothing
 *     REGISTER(sum);                           static registrar registrar_sum("sum", 1);
 *
 * The preprocessor knows, and takes 0.1 to 1 s for a unit. Here the bodies are read that headers
 * give the macro, whatever conditions they are under: if none of them can keep a unit with its
 * library, the preprocessor need not be asked. Thread safety: no shared state.
 */
#ifndef CKJIT_HEADERMACROS_H
#define CKJIT_HEADERMACROS_H

#include "macros.h"

/* May one of the declarations UNCLEAR (struct header_names) keep its units with the library, by the
 * definitions of M, or by one that M does not have? */
bool headermacros_in_doubt(const struct argv *unclear, const struct macros *m);

#endif
