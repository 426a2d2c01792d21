/* ccenv.h - the environment variables that affect a compiler beside its command line, and how ckjit treats
 * each. The only list of them.
 *
 * A unit is compiled later, in another environment than that of the recorded call. So a variable that holds
 * options becomes options in the record, and is removed from the environment when the record is compiled. A
 * variable that no option can express keeps the call from being recorded.
 *
 * Thread safety: constants, except for ccenv_clean(), which changes the environment.
 */
#ifndef CKJIT_CCENV_H
#define CKJIT_CCENV_H

#include "compiler.h"

enum {
  CCENV_BEFORE = 1,   /* options, before those of the command line */
  CCENV_BEHIND = 2,   /* options, after those of the command line */
  CCENV_BENDS = 4,    /* even if empty: adds outputs or changes how the line is read */
  CCENV_ADDS = 8,     /* as CCENV_BENDS, unless it is empty */
  CCENV_CLEANED = 16, /* removed from the environment of a recorded command */
  CCENV_CHOOSES = 32, /* selects the programs and libraries that make up the compiler */
};

struct cc_variable {
  const char *name, *kind; /* kind: of the compilers that read it; NULL: all */
  unsigned what;
  /* for CCENV_BEFORE and CCENV_BEHIND; a NULL option: the value itself is words */
  const char *option; /* the option that takes the value */
  bool list;          /* one option per entry of a ':' list; an empty entry is the current directory */
};

/* The variables; a row without a name ends them. */
extern const struct cc_variable ccenv[];

/* Does a compiler of kind C read V? */
bool ccenv_is_read(const struct cc_variable *v, const struct compiler *c);
/* Is a variable set that makes a compiler of kind C do something its command line does not say? */
bool ccenv_is_bent(const struct compiler *c);
/* Remove from this process's environment the variables whose options a recorded command already contains. */
void ccenv_clean(void);

#endif
