/* streams.h - what whoever starts a program may have left odd: the umask, and descriptors 0, 1 and 2, which may be closed: a daemon
 * does that, and a job's script by 2>&-.
 *
 * A umask that takes permissions away from the owner (0177) would keep us, and the compilers that we start, from files of our own. So it
 * does not: what it takes from others stays taken.
 *
 * The next files that a program opens would get these numbers: what is printed would go into one of them, and libuv, which starts
 * our processes, aborts when it closes one.
 *
 * Thread safety: for main() and what it calls before and after all else.
 */
#ifndef CKJIT_STREAMS_H
#define CKJIT_STREAMS_H

#include <stdbool.h>

/* Open those streams that are closed, and leave the owner its permissions. With ANSWERS, reading the first and writing the second still fails: a program that is asked
 * something must not seem to have answered. Ends the program if /dev/null cannot be opened. */
void streams_open(bool answers);
/* Ends the program if what was printed on standard output did not get there; else EXIT_OK. */
int streams_answered(void);

#endif
