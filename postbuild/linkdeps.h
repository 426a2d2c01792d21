/* linkdeps.h - the dependency file that a link may be asked for (-Wl,--dependency-file=F). */
#ifndef CKJIT_LINKDEPS_H
#define CKJIT_LINKDEPS_H

#include "linkline.h"

/* The file that WORDS, the arguments of a link in CWD, ask the linker to write, absolute; NULL if
 * they ask for none. free() it. */
char *linkdeps_file(const struct argv *words, const char *cwd);
/* FILE is what the linker has written of L's link: have it name the files that the build's own
 * command names, as that names them. Those in the directory WORK go: they are made by the link
 * itself, and a build that looked at their times would link again. Objects and archives with
 * records come. If FILE cannot be written, it stays as it is, and the build links again. */
void linkdeps_clean(const char *file, const struct linkline *l, const char *work);

#endif
