/* summary.h - the summary of a link, which ckjit-link prints, and `ckjit full` and `ckjit relink`
 * print again.
 *
 * summary.txt in the link's directory has all of it, in lines that begin with "ckjit-link: ".
 * People get the first line, the result of their --aot-list, and some of the reasons why a kernel
 * is not lazy.
 */
#ifndef CKJIT_SUMMARY_H
#define CKJIT_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#define SUMMARY_FILE "summary.txt"
/* The beginning of its lines about kernels. */
#define SUMMARY_AHEAD "ckjit-link: ahead of time: "
#define SUMMARY_STAYS "ckjit-link: stays lazy: "

/* Does CK_JIT_SUMMARY or CK_JIT_VERBOSE ask for all of it? */
bool summary_is_whole(void);
/* Print TEXT, from FILE, to OUT: all of it if WHOLE, else the part for people. */
void summary_print(FILE *out, const char *text, const char *file, bool whole);

#endif
