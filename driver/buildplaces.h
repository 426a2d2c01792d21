/* buildplaces.h - the names of the build in a linked library: its root, its ckjit-compile, its lists of inputs. */
#ifndef CKJIT_BUILDPLACES_H
#define CKJIT_BUILDPLACES_H

#include <stdbool.h>

/* Take them out of the library FILE, in place: where it is installed it finds all beside itself. One that has none is left as it
 * is. False with *ERR (free() it). */
bool build_places_clear(const char *file, char **err);

#endif
