/* options.h - the options of a program's command line, by getopt_long(3). What is wrong with them is said in our own
 * words: getopt names the program by its full path and leaves the user alone with it.
 *
 *     ckjit-prebuild: error: unknown option '--cash-dir'; did you mean '--cache-dir'? See ckjit-prebuild build --help
 *
 * Not thread safe: getopt's optarg and optind are globals.
 */
#ifndef CKJIT_OPTIONS_H
#define CKJIT_OPTIONS_H

#include <getopt.h>

/* As getopt_long with LETTERS and TABLE, and --color=WHEN, which every program has and which is in force from the first
 * message on, wherever it stands. Ends the program with EXIT_USAGE if an option is unknown or ambiguous, lacks its
 * value or has one that it does not take; HELP is the command that lists the options. */
int options_next(int argc, char **argv, const char *letters, const struct option *table, const char *help);

/* VALUE, a file or directory that OPTION names. Ends the program if it is empty, which would be the current directory: a
 * variable of the user's shell is not set then. */
char *options_path(const char *option, char *value);

#endif
