/* buildplaces.h - the names of the build in a linked library: its root, its ckjit-compile, its
 * lists of inputs. */
#ifndef CKJIT_BUILDPLACES_H
#define CKJIT_BUILDPLACES_H

#include "core/base/base.h"

/* Remove them from the library FILE, in place: where it is installed it finds everything beside
 * itself. A library without them is unchanged. False with *ERR (free() it). */
bool build_places_clear(const char *file, char **err);

#endif
