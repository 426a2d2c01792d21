/* ccenv.h - the variables of the environment by which compilers read more than their command line, and what
 * each is to ckjit. The one list of them.
 *
 * A unit is compiled later, in another environment than that of the call that was recorded. So a variable
 * with options in it becomes options of the record, and is taken out of the environment when that is
 * compiled; one that no option can say keeps the call from being recorded.
 *
 * Thread safety: constants, but for ccenv_clean().
 */
#ifndef CKJIT_CCENV_H
#define CKJIT_CCENV_H

#include "compiler.h"

enum {
  CCENV_BEFORE = 1, /* options, before those of the command line */
  CCENV_BEHIND = 2, /* options, behind them */
  CCENV_BENDS =
      4, /* the compiler writes more than the line says, or reads it as another one, even if it is empty */
  CCENV_ADDS = 8,     /* the same, unless it is empty */
  CCENV_CLEANED = 16, /* taken out of the environment of a recorded command */
  CCENV_CHOOSES = 32, /* decides which programs and libraries the compiler consists of */
};

struct cc_variable {
  const char *name, *kind; /* of the compilers that read it; NULL: all */
  unsigned what;
  /* of CCENV_BEFORE and CCENV_BEHIND; NULL: the value is the words themselves */
  const char *option; /* the value of which it is */
  bool list; /* an option for each entry; ':' is between them, an empty one is the current directory */
};

/* the variables, a row without a name behind the last */
extern const struct cc_variable ccenv[];

/* Does a compiler of kind C read V? */
bool ccenv_is_read(const struct cc_variable *v, const struct compiler *c);
/* Is a variable set that makes a compiler of kind C do something else than its command line says? */
bool ccenv_is_bent(const struct compiler *c);
/* Take the variables out of this process's environment whose words a recorded command has already. */
void ccenv_clean(void);

#endif
