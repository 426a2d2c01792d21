/* commandline.h - the command line of ckjit-prebuild. */
#ifndef CKJIT_PREBUILD_COMMANDLINE_H
#define CKJIT_PREBUILD_COMMANDLINE_H

#include "commands.h"

/* Read the command line into R; returns the command. --help, --version, the command `help` and a
 * wrong command line end the program. */
const struct command *commandline_read(struct request *r, int argc, char **argv);

#endif
