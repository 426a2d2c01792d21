/* ownheaders.h - which headers are the build's own. Thread safety: no shared state. */
#ifndef CKJIT_OWNHEADERS_H
#define CKJIT_OWNHEADERS_H

#include "core/files/record.h"

/* Is FILE, an absolute name, a header of the system or of a package to R, and not of what is
 * built? */
bool ownheaders_is_foreign(const struct record *r, const char *file);

#endif
