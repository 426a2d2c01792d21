/* message.h - what a program says on standard error, in the form of compilers:
 *
 *     ckjit-link: error: b.cu: the compiler ended with status 1
 *
 * One write a message, so that those of parallel builds do not mix within a line. The severity stands once, however
 * many lines a message has. In colour on a terminal, as clang has them; NO_COLOR and --color decide otherwise.
 * docs/messages.md says what users may rely on.
 *
 * Output that is no message (progress, a compiler's own output, results) does not come through here.
 *
 * Thread safety: all but message_color_* may be called from any thread.
 */
#ifndef CKJIT_MESSAGE_H
#define CKJIT_MESSAGE_H

#include <stdbool.h>

/* the name that stands before each message; set it first thing in main() */
extern const char *program_name;

/* print an error and exit with STATUS */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print an error and go on, where others may follow or something is to be tidied up. The caller sees to it that the
 * exit status is not 0. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* something that the user may want to change; what was asked for is done all the same */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* what was asked for (CK_JIT_VERBOSE, --verbose), or what belongs to the message before */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* WHEN of --color: never, always or auto. False if it is none of them. */
bool message_color(const char *when);
/* Take it from a compiler's arguments: the last -fcolor-diagnostics or -fdiagnostics-color, or its negation. */
void message_color_of_compiler(char *const *args);

#endif
