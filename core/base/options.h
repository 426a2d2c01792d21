/* options.h - the options of a program's command line, by getopt_long(3) with error messages of our own:
 * getopt prints the program's full path and gives no advice.
 *
 *     ckjit-prebuild: error: unknown option '--cash-dir'; did you mean '--cache-dir'? See ckjit build --help
 *
 * Not thread-safe: getopt's optarg and optind are globals.
 */
#ifndef CKJIT_OPTIONS_H
#define CKJIT_OPTIONS_H

#include <getopt.h>

/* Like getopt_long with LETTERS and TABLE. Also handles --color=WHEN, which every program has and which
 * applies from the first message on, wherever it is on the line. Ends the program with EXIT_USAGE if an
 * option is unknown or ambiguous, lacks its value or has one that it does not take; HELP is the command that
 * lists the options. */
int options_next(int argc, char **argv, const char *letters, const struct option *table, const char *help);

/* VALUE, a file or directory given with OPTION. Ends the program if it is empty: that comes from an unset
 * shell variable, and would mean the current directory. */
char *options_path(const char *option, char *value);

#endif
