/* kernels.h - the kernels of lazy units: what they are called, and which of them a name means.
 *
 * A unit is a blob of the manifest without functions. What its kernels are called is in the file of its text (core/files/unittext.h),
 * which is read when somebody asks. Functions end the program if there is no memory. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_KERNELS_H
#define CKJIT_PREBUILD_KERNELS_H

#include "prebuild.h"

/* The mangled names of UNIT's kernels; none if they are not known, which was said. Borrowed. */
const struct argv *kernels_of_unit(struct request *r, const struct manifest_blob *unit);
/* Let R want what NAME means, if it means kernels or units: UNIT.ID or the ID alone, a mangled name, the cached file of a kernel; a unit or
 * a kernel of one as it was called in an earlier build. WHOLE: of the blobs that are wanted as wholes. False: it means none. */
bool kernels_take(struct request *r, const char *name, bool *whole);
/* The blob that NAME means as a whole (manifest_find_any); NULL: none, or a kernel of a unit. */
const struct manifest_blob *kernels_find_whole(const struct request *r, const char *name);
/* BLOB is wanted, as a whole: so is each of its kernels. */
void kernels_take_whole(struct request *r, const struct manifest_blob *blob, bool *whole);
/* The kernels of BLOB that are wanted; NULL: it is wanted as a whole. Borrowed. */
const struct argv *kernels_wanted(const struct request *r, const struct manifest_blob *blob);
/* Does the cache have KERNEL, or UNIT as a whole, for all architectures that are wanted? */
bool kernels_is_cached(const struct request *r, const struct manifest_blob *unit, const char *kernel);
/* Make what is wanted of a unit the whole unit, if one of its kernels has an entry that says that it shares variables with others. R then
 * wants these units alone. Returns how many there are. */
size_t kernels_widen(struct request *r);
void kernels_free(struct request *r);

#endif
