/* cache.h - where the cache is and what is in it, by the rules of the runtime (runtime/ck_jit_place.h).
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main thread.
 */
#ifndef CKJIT_PREBUILD_CACHE_H
#define CKJIT_PREBUILD_CACHE_H

#include "prebuild.h"

/* cache and cache_named, by the runtime's rule (ck_jit_place.h): GIVEN or CK_JIT_CACHE_DIR first */
void cache_choose(struct request *r, const char *given);
/* Die if the cache directory is not there but the user names it: it was mistyped. The default one may not be there yet; that
 * is noted. */
void cache_expect(const struct request *r);
/* The architectures that BLOB is compiled for here, as a ';' list, and the build id that the runtime will
 * look for. */
void cache_key(const struct request *r, const struct manifest_blob *blob, char archs[CKJIT_ARCHS_SIZE],
               uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* whether the entry that the runtime will look for is there */
bool cache_has(const struct request *r, const struct manifest_blob *blob);
/* The build id of the entry without kernels (runtime/ck_jit_kernels.h) for ARCHS; false where BLOB's compiler
 * makes none. */
bool cache_key_apart(const struct request *r, const struct manifest_blob *blob, const char *archs,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* the entry with build id ID: its name in PATH */
bool cache_find_id(const struct request *r, const struct manifest_blob *blob,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]);
/* as cache_has, and its name in PATH */
bool cache_find(const struct request *r, const struct manifest_blob *blob, char path[PATH_MAX]);

#endif
