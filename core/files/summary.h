/* summary.h - the summary of a link: what ckjit-link prints, and `ckjit full` and relink after it.
 *
 * All of it is in summary.txt of the link's directory, lines that begin with "ckjit-link: ". People get the first line, what became
 * of their --aot-list, and a few of the reasons why a kernel is not lazy.
 */
#ifndef CKJIT_SUMMARY_H
#define CKJIT_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#define SUMMARY_FILE "summary.txt"
/* what its lines about kernels begin with */
#define SUMMARY_AHEAD "ckjit-link: ahead of time: "
#define SUMMARY_STAYS "ckjit-link: stays lazy: "

/* Does CK_JIT_SUMMARY or CK_JIT_VERBOSE ask for all of it? */
bool summary_is_whole(void);
/* Print TEXT, which FILE has, to OUT: all of it if WHOLE, else the part for people. */
void summary_print(FILE *out, const char *text, const char *file, bool whole);

#endif
