/* linkdeps.h - the dependency file that a link may be asked for (-Wl,--dependency-file=F). */
#ifndef CKJIT_LINKDEPS_H
#define CKJIT_LINKDEPS_H

#include "core/base/argv.h"

/* The file that WORDS, the arguments of a link, has the linker write, absolute, relative names taken from
 * CWD; NULL where there is none. free() it. */
char *linkdeps_file(const struct argv *words, const char *cwd);
/* Make FILE, which the linker has written for the output MADE, the one of OUTPUT, without the files in the
 * directory WORK: they are made by the link itself, and a build that looked at their times would link again.
 * Where it cannot be written it stays as it is, which costs that. */
void linkdeps_clean(const char *file, const char *made, const char *output, const char *work);

#endif
