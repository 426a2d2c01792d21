/* help.h - where the help pages of ckjit-prebuild are, for messages. */
#ifndef CKJIT_PREBUILD_HELP_H
#define CKJIT_PREBUILD_HELP_H

#include "prebuild.h"

/* The program that hints name: "ckjit" if it is there, beside this program or as it was started,
 * else "ckjit-prebuild". Static. */
const char *help_program(void);
/* "ckjit COMMAND --help", or that of this program if COMMAND is NULL or unknown; free() it. */
char *help_where(const char *command);
/* End the program with EXIT_USAGE and a message about R's command line, which says where its
 * options are listed. */
_Noreturn void die_usage(const struct request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
