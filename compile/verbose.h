/* verbose.h - handles the lines that -v adds to the output of a compile by clang.
 *
 * With -v a driver reports the programs that it runs: its configuration files, and the command of
 * each step, as -### has them. So the compile itself answers, and no process is started for the
 * question alone (Debian's hipcc is Perl; asking it takes 0.14 s of processor time). The
 * directories and versions that -v also prints are useless to a reader of the log, and are removed
 * from it, like the rest.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_VERBOSE_H
#define CKJIT_COMPILE_VERBOSE_H

#include "core/base/base.h"

/* Append the lines of TEXT, what a compile with -v has printed, to ANSWER if -### prints them as
 * well, and to REST what is printed without -v. */
void verbose_split(const char *text, struct buf *answer, struct buf *rest);

#endif
