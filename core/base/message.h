/* message.h - messages of the programs on standard error, in the form used by compilers:
 *
 *     ckjit-link: error: b.cu: the compiler ended with status 1
 *
 * Each message is one write, so that messages of parallel builds do not mix within a line. The
 * severity is printed once, however many lines a message has. It is coloured on a terminal, as by
 * clang; NO_COLOR and --color override that. docs/messages.md says what users may rely on.
 *
 * Other output (progress, a compiler's output, results) does not go through here.
 *
 * Thread safety: everything except message_color_* may be called from any thread.
 */
#ifndef CKJIT_MESSAGE_H
#define CKJIT_MESSAGE_H

#include <stdbool.h>

/* The beginning of coloured text, in gcc's colours, and its end. */
#define COLOR_ERROR "\033[0;1;31m"
#define COLOR_WARNING "\033[0;1;35m"
#define COLOR_BOLD "\033[1m"
#define COLOR_RESET "\033[0m"

/* The name before each message; set it first in main(). */
extern const char *program_name;

/* Called before each message unless it is NULL, to remove a status line from the terminal. Main
 * thread only. */
extern void (*message_before)(void);

/* Print an error and exit with STATUS. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print an error and continue, if more errors may follow or there is something to clean up. The
 * caller must make the exit status nonzero. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A warning: the user may want to change something, but the request is carried out. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A note: output requested with CK_JIT_VERBOSE or --verbose, or an addition to the previous
 * message. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Apply WHEN, the value of --color: never, always or auto. False if it is none of these. */
bool message_color(const char *when);
/* Is a message coloured now? For programs that pass on the messages of another program of ckjit. */
bool message_is_colored(void);
/* The same for standard output. */
bool message_output_is_colored(void);
/* Would gcc colour its messages on this standard error? gcc ignores NO_COLOR. For a compiler
 * whose messages are passed on: it sees no terminal, so it needs an option. It obeys GCC_COLORS
 * itself. */
bool message_compiler_is_colored(void);
/* Take the setting from a compiler's arguments: the last -fcolor-diagnostics or
 * -fdiagnostics-color, or its negation. */
void message_color_of_compiler(char *const *args);

#endif
