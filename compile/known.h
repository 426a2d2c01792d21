/* known.h - which architectures a compiler knows, for a message about one that it does not know. */
#ifndef CKJIT_COMPILE_KNOWN_H
#define CKJIT_COMPILE_KNOWN_H

#include "task.h"

/* ": it is clang 15.0.6, which knows gfx940, gfx90a and 50 others, but not gfx942; …" if T's
 * compiler does not list ARCH, else "". DIR is for a file meanwhile. free() it */
char *known_tell(const struct compile_task *t, const char *dir, const char *arch);

#endif
