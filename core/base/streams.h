/* streams.h - descriptors 0, 1 and 2, which whoever starts a program may have closed: a daemon does, and a job's script by 2>&-.
 *
 * The next files that a program opens would get these numbers: what is printed would go into one of them, and libuv, which starts
 * our processes, aborts when it closes one.
 *
 * Thread safety: for main() and what it calls before and after all else.
 */
#ifndef CKJIT_STREAMS_H
#define CKJIT_STREAMS_H

#include <stdbool.h>

/* Open those of them that are closed. With ANSWERS, reading the first and writing the second still fails: a program that is asked
 * something must not seem to have answered. Ends the program if /dev/null cannot be opened. */
void streams_open(bool answers);
/* Ends the program if what was printed on standard output did not get there; else EXIT_OK. */
int streams_answered(void);

#endif
