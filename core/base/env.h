/* env.h - the one table of environment variables: every program's --help and the man page's section come from
 * it. */
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

extern const struct env_var env_table[]; /* ends with name NULL */

/* the variable's value, or NULL where it is unset or empty. Ends the program where NAME is not in the table.
 */
const char *env_get(const char *name);
/* the variable is set to something other than "0" */
bool env_flag(const char *name);
/* print the table's rows of PARTS, for --help */
void env_help(FILE *out, enum env_part parts);
/* print them as mdoc(7), for the man pages */
void env_mdoc(FILE *out, enum env_part parts);

#endif
