/* env.h - the one table of environment variables, from which every program's --help and the section
 * of the man page are generated. */
#ifndef CKJIT_ENV_H
#define CKJIT_ENV_H

#include <stdbool.h>
#include <stdio.h>

enum env_part { ENV_BUILD = 1, ENV_RUNTIME = 2, ENV_ALL = 3 };

struct env_var {
  const char *name;
  const char *fallback; /* the default, in words */
  const char *help;     /* one sentence */
  enum env_part part;
};

extern const struct env_var env_table[]; /* ends with a NULL name */

/* The variable's value; NULL if it is unset or empty. Ends the program if NAME is not in the
 * table. */
const char *env_get(const char *name);
/* Is the switch set, and not to 0, no, off or false? */
bool env_flag(const char *name);
/* Warn of variables with a value that they do not accept, and of names that are probably misspelt.
 * For programs that users start by hand; others would repeat the warning thousands of times. */
void env_check(void);
/* Print the rows for PARTS, for --help. */
void env_help(FILE *out, enum env_part parts);
/* Print them as mdoc(7), for the man pages. */
void env_mdoc(FILE *out, enum env_part parts);

#endif
