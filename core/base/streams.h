/* streams.h - repairs unusual settings of a program's parent: the umask, and descriptors 0, 1 and
 * 2, which may be closed: daemons close them, and job scripts by 2>&-.
 *
 * A umask that removes the owner's permissions (0177) would deny this program, and the compilers
 * that it starts, its own files. So the owner's bits are removed from the umask; those of others
 * stay.
 *
 * The next files that a program opens would get the numbers of closed streams: output would go into
 * one of them, and libuv, which starts the processes, aborts when it closes one.
 *
 * Thread safety: for main() and the functions that it calls before and after everything else.
 */
#ifndef CKJIT_STREAMS_H
#define CKJIT_STREAMS_H

#include <stdbool.h>

/* Open closed streams, and leave the owner its permissions. With ANSWERS, reading the first and
 * writing the second still fails: a program that answers a query must not seem to have answered.
 * Ends the program if /dev/null cannot be opened. */
void streams_open(bool answers);
/* Ends the program if its standard output was not written completely; otherwise returns EXIT_OK. */
int streams_answered(void);

#endif
