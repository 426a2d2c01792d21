/* common.h - the commands of ckjit-build, one file each, and the functions that they share.
 *
 * Functions here end the program with a message and status 1 if they fail, or 2 if the command line
 * is wrong. Output files appear complete or not at all.
 */
#ifndef CKJIT_COMMON_H
#define CKJIT_COMMON_H

#include "abi/ck_jit_clock.h"
#include "core/base/base.h"

/* ---- shared functions ---- */

/* Die if there are OPERANDS after the options of COMMAND. OPTION, unless NULL, is the one for which
 * they may have been meant. */
void no_arguments(const char *command, char **operands, const char *option);
/* The command line is wrong: print the reason and the help command, exit with status 2. */
_Noreturn void usage_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* On a terminal, show a moving line with WHAT is being done, until the next of these functions, or
 * a message. SILENT: show none, because the output of the step is shown. Nor with CK_JIT_QUIET. */
void step_begin(bool silent, const char *what);
/* Print a result: its first word, and the rest. */
void step_says(const char *word, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print a finished step: its name, the seconds since STARTED, and its result. */
void step_done(const char *step, double started, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, without a span in a trace. */
void step_print(const char *step, double started, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* With CK_JIT_TRACE, a span of the build: STEP on TRACK from START to END, microseconds. */
void step_trace(const char *step, unsigned track, uint64_t start, uint64_t end, const char *status);

/* Make DEST if it is missing, and check that it is writable; WHAT is the option that named it. */
void require_writable_dir(const char *dest, const char *what);

/* ---- the commands ---- */

/* Each command parses its own arguments, with the command's name in argv[0] and a NULL after the
 * last, and returns the exit status. */

int build_home(char **argv);
int build_run(char **argv);
int build_full(char **argv);
int build_quick(char **argv);
int build_relink(char **argv);
int build_bundle(char **argv);
int build_explain(char **argv);
int build_compile_commands(char **argv);

#endif
