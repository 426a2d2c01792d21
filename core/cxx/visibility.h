/* visibility.h - the names to which a text gives a visibility. With -fvisibility=hidden, a library
 * exports those that it shows; what it hides, no other object than the library's can have.
 *
 *     API int f(int);                          f API
 *     namespace CUVS_EXPORT cuvs {…}            cuvs CUVS_EXPORT
 *     __attribute__((visibility("hidden"))) int g(int);   g "hidden"
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_VISIBILITY_H
#define CKJIT_VISIBILITY_H

#include "cxxlex.h"
#include "core/base/argv.h"

/* Append to MARKED "NAME WORD" for each function, class or namespace that has a mark in T: WORD is
 * SHOWN_WORD, HIDDEN_WORD, or one in capitals that may be a macro for it. NAME is "*" if the mark
 * concerns all that follows. */
void visibility_marks(struct argv *marked, const struct cxx_text *t);
/* May WORD, of capitals, digits and underscores alone, be a macro? */
bool visibility_in_capitals(const char *word);
/* May TEXT, a header, hide something by an attribute, a pragma, or a macro that is called so? */
bool visibility_may_hide(const char *text);
#define SHOWN_WORD "\"default\""
#define HIDDEN_WORD "\"hidden\""

#endif
