/* lazykernels.h - the kernels of lazy units: their names, and which of them a name means.
 *
 * A unit is a blob of the manifest without functions. The names of its kernels are in the file of
 * its text (core/files/unittext.h), which is read on demand. Functions end the program if there is
 * no memory. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_LAZYKERNELS_H
#define CKJIT_PREBUILD_LAZYKERNELS_H

#include "prebuild.h"

/* The mangled names of UNIT's kernels; none if they are unknown, which was reported. Borrowed. */
const struct argv *kernels_of_unit(struct request *r, const struct manifest_blob *unit);
/* Append to NAMES the kernels that BLOB's entries have code of, for all architectures of R; false
 * if no existing entry shows them. */
bool kernels_of_blob(struct argv *names, const struct request *r, const struct manifest_blob *blob);
/* If NAME means kernels or units, mark them as wanted in R: UNIT.ID or the ID alone, a mangled
 * name, the cached file of a kernel; a unit or a kernel of one by its name in an earlier build.
 * WHOLE: the blobs that are wanted as wholes. False: it means none. */
bool kernels_take(struct request *r, const char *name, bool *whole);
/* Want KERNEL, a mangled name, of the lazy unit STEM, which may be of an earlier build. False:
 * there is no such unit, or it has no such kernel. */
bool kernels_take_recorded(struct request *r, const char *stem, const char *kernel, bool *whole);
/* The blob that NAME means as a whole (manifest_find_any); NULL: none, or a kernel of a unit. */
const struct manifest_blob *kernels_find_whole(const struct request *r, const char *name);
/* Mark the whole BLOB as wanted, and so each of its kernels. */
void kernels_take_whole(struct request *r, const struct manifest_blob *blob, bool *whole);
/* The kernels of BLOB that are wanted; NULL: the whole blob is. Borrowed. */
const struct argv *kernels_wanted(const struct request *r, const struct manifest_blob *blob);
/* Does the cache have KERNEL, or the whole UNIT, for all wanted architectures? */
bool kernels_is_cached(const struct request *r, const struct manifest_blob *unit,
                       const char *kernel);
/* Widen the wanted part of a unit to the whole unit, if one of its kernels has an entry which shows
 * that it shares variables with others. Then R wants these units alone. Returns their number. */
size_t kernels_widen(struct request *r);

#endif
