/* headernames.h - what a header adds to each unit that includes it.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_HEADERNAMES_H
#define CKJIT_HEADERNAMES_H

#include "core/base/argv.h"
#include "core/base/reason.h"

/* What a header adds to each unit that includes it: last names of … */
struct header_names {
  /* functions that it defines without a visible inline; a macro may contain it */
  struct argv functions;
  /* functions of the host of which each unit has a copy */
  struct argv copied;
  /* variables that it declares */
  struct argv externs;
  /* what it uses as a value */
  struct argv named;
  /* those of visibility_marks */
  struct argv marked;
  /* the texts of declarations that are not understood: a macro may be one of their words */
  struct argv unclear;
  /* What would keep its units with the library is in an arm of an #if, or may be: the
   * preprocessor's output shows it. */
  bool doubt;
  /* A variable that any unit may have runs code when a library is loaded. */
  bool runs;
};
void header_names_free(struct header_names *h);

/* Reads what the header TEXT, LEN bytes, adds to each unit that includes it, and appends it to H.
 * EXPANDED: the preprocessor wrote it, so that nothing is unclear or in doubt. Returns true, with
 * *WHY, if it has a variable for other units, an initialiser with effects, assembler, or, expanded,
 * something that is not understood: such a unit has to be made with its library. */
bool header_names_read(struct header_names *h, const char *text, size_t len, bool expanded,
                       struct reason *why);

/* Append to NAMED the words that TEXT, LEN bytes, uses as a value, so that the address may be taken
 * if they are functions: `p == f`; with COMPARED, only those next to == or !=. Macros count. */
void header_names_values(struct argv *named, const char *text, size_t len, bool compared);

#endif
