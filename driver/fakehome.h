/* fakehome.h - the directory of a fake ROCm or CUDA home.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_FAKEHOME_H
#define CKJIT_DRIVER_FAKEHOME_H

#include "profile.h"
#include "realtools.h"

/* Append, for each home variable of P, "NAME" if the real compiler must not see it, or "NAME=VALUE"
 * if it must: as it was before any fake home. */
void fakehome_vars(struct argv *out, const struct profile *p, const struct tools *t);

/* Make or refresh the fake home DIR, with work directory WORK; both absolute. */
void fakehome_make(const char *dir, const struct profile *p, const struct tools *t,
                   const char *work);

#endif
