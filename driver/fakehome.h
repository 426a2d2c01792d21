/* fakehome.h - the fake home of ROCm or CUDA, as a directory.
 *
 * Functions end the program with a message, and status 1, if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_FAKEHOME_H
#define CKJIT_DRIVER_FAKEHOME_H

#include "profile.h"
#include "tools.h"

/* Append, for each home variable of P, "NAME" where the real compiler must not see it and "NAME=VALUE" where
 * it must: as it was before any fake home (home.c). */
void fakehome_vars(struct argv *out, const struct profile *p, const struct tools *t);

/* Make or refresh the fake home DIR, with WORK for its work directory; both absolute. */
void fakehome_make(const char *dir, const struct profile *p, const struct tools *t, const char *work);

#endif
