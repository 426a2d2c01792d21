/* build.h - the commands of ckjit-build, a file each, and what they share.
 *
 * Functions here end the program with a clear message and status 1 where they cannot do what they say, 2
 * where the command line is wrong. Whatever is made appears whole or not at all.
 */
#ifndef CKJIT_BUILD_H
#define CKJIT_BUILD_H

#include "core/base/base.h"

/* ---- what commands share ---- */

/* the arguments behind the options of COMMAND; there must be none */
void no_arguments(const char *command, int argc, char **argv);
/* a command line is wrong: print the reason and where help is, exit 2 */
_Noreturn void usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* seconds since some start, for printing how long a step took */
double now(void);
/* print a finished step: its name, the seconds since STARTED, and what it made */
void step_done(const char *step, double started, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* TEXT, given for OPTION of COMMAND, as a number of at least LEAST; a wrong command line where it is none */
unsigned build_number(const char *command, const char *option, const char *text, unsigned least);

/* make DEST where it is missing and check that it can be written to; WHAT is the option that named it */
void require_writable_dir(const char *dest, const char *what);

/* ---- the commands: each takes its own arguments, argv[0] being the name of the command, and returns the exit status ---- */

int build_home(int argc, char **argv);
int build_full(int argc, char **argv);
int build_quick(int argc, char **argv);
int build_relink(int argc, char **argv);

#endif
