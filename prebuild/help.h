/* help.h - the names of ckjit-prebuild's help pages, for messages. */
#ifndef CKJIT_PREBUILD_HELP_H
#define CKJIT_PREBUILD_HELP_H

#include "prebuild.h"

/* The program for hints: "ckjit" if it exists beside this program or was started, else
 * "ckjit-prebuild". Static. */
const char *help_program(void);
/* "ckjit COMMAND --help", or that of this program if COMMAND is NULL or unknown; free() it. */
char *help_where(const char *command);
/* End the program with EXIT_USAGE and a message about R's command line, which names the page with
 * its options. */
_Noreturn void die_usage(const struct request *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
