/* help.h - the help pages of ckjit-prebuild, one for each command. */
#ifndef CKJIT_PREBUILD_HELP_H
#define CKJIT_PREBUILD_HELP_H

#include "prebuild.h"

/* Print the page of COMMAND, of "environment", or with NULL the list of commands. False if there is no such
 * page. */
bool help_print(const char *command);
/* "ckjit COMMAND --help", or that of this program if COMMAND is NULL or unknown; free() it. */
char *help_where(const char *command);
/* Is --NAME on the page of COMMAND, or on each? Each is on that of a COMMAND that is NULL or
 * unknown. */
bool help_lists_option(const char *command, const char *name);

/* ---- usage.c ---- */

/* The program that hints name: "ckjit" if it is there, beside this program or as it was started, else
 * "ckjit-prebuild". Static. */
const char *help_program(void);
/* End the program with EXIT_USAGE and a message about R's command line, which says where its options are listed. */
_Noreturn void die_usage(const struct request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
