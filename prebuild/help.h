/* help.h - the help pages of ckjit-prebuild, one for each command. */
#ifndef CKJIT_PREBUILD_HELP_H
#define CKJIT_PREBUILD_HELP_H

#include <stdbool.h>

/* Print the page of COMMAND, of "environment", or with NULL the list of commands. False if there is no such
 * page. */
bool help_print(const char *command);
/* "ckjit-prebuild COMMAND --help", or "ckjit-prebuild --help" if COMMAND is NULL or unknown; free() it */
char *help_where(const char *command);
/* Is --NAME on the page of COMMAND, or on each? Each is on that of a COMMAND that is NULL or unknown. */
bool help_lists_option(const char *command, const char *name);

#endif
