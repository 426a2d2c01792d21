/* build.h - the commands of ckjit-build, a file each, and what they share.
 *
 * Functions here end the program with a message and status 1 if they fail, or 2 if the command line
 * is wrong. Output files appear complete or not at all.
 */
#ifndef CKJIT_BUILD_H
#define CKJIT_BUILD_H

#include "abi/ck_jit_clock.h"
#include "core/base/base.h"

/* ---- what commands share ---- */

/* Die if there are OPERANDS after the options of COMMAND. OPTION, unless NULL, is the one they
 * may have been meant for. */
void no_arguments(const char *command, char **operands, const char *option);
/* The command line is wrong: print the reason and where the help is, exit with status 2. */
_Noreturn void usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* On a terminal, a line that moves and says WHAT is done now, until the next of these functions,
 * or a message. SILENT: there is none, because the output of the step is shown. Nor is there
 * with CK_JIT_QUIET. */
void step_begin(bool silent, const char *what);
/* print a result: the word that it begins with, and the rest */
void step_says(const char *word, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* print a finished step: its name, the seconds since STARTED, and what it made */
void step_done(const char *step, double started, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* the same, without a span in a trace */
void step_print(const char *step, double started, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* With CK_JIT_TRACE, a span of the build: STEP on TRACK from START to END, microseconds. */
void step_trace(const char *step, unsigned track, uint64_t start, uint64_t end, const char *status);

/* make DEST if it is missing, and check that it is writable; WHAT is the option that named it */
void require_writable_dir(const char *dest, const char *what);

/* ---- the commands ---- */

/* Each takes its own arguments, with the command's name in argv[0] and a NULL behind the last,
 * and returns the exit status. */

int build_home(char **argv);
int build_run(char **argv);
int build_full(char **argv);
int build_quick(char **argv);
int build_relink(char **argv);
int build_explain(char **argv);
int build_compile_commands(char **argv);

#endif
