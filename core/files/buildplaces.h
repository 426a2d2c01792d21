/* buildplaces.h - the names of the build in a linked library: its root, its ckjit-compile, its
 * lists of inputs. */
#ifndef CKJIT_FILES_BUILDPLACES_H
#define CKJIT_FILES_BUILDPLACES_H

#include "core/base/base.h"

/* *DIR: the directory that FILE's link left in the work directory, which has its manifest; NULL if
 * FILE has no names of a build. free() it. False if FILE cannot be read, or ckjit did not link it.
 */
bool build_places_directory(const char *file, char **dir);
/* Remove them from the library FILE, in place: where it is installed it finds everything beside
 * itself. A library without them is unchanged. False with *ERR (free() it). */
bool build_places_clear(const char *file, char **err);

#endif
