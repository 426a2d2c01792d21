/* verbose.h - what -v adds to what a compile by clang prints.
 *
 * With -v a driver says what it runs as it runs it: its configuration files, and the command of each step, as -### has
 * them. So the compile itself answers, and no process is started for the question alone (Debian's hipcc is Perl; it takes
 * 0.14 s of processor to be asked). The directories and versions that -v prints besides are of no use to whoever reads
 * the log, and are left out of it, as the rest is.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_VERBOSE_H
#define CKJIT_COMPILE_VERBOSE_H

#include "core/base/base.h"

/* Append the lines of TEXT, what a compile with -v has printed, to ANSWER if -### prints them as well, and to REST what is
 * printed without -v. */
void verbose_split(const char *text, struct buf *answer, struct buf *rest);

#endif
