/* cache.h - the place and the content of the cache, by the rules of the runtime
 * (runtime/ck_jit_place.h).
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_CACHE_H
#define CKJIT_PREBUILD_CACHE_H

#include "prebuild.h"

/* The default cache directory; free() it. NULL: there is none. */
char *cache_default(void);
/* Set cache and cache_named by the runtime's rule (ck_jit_place.h); GIVEN or CK_JIT_CACHE_DIR goes
 * first. */
void cache_choose(struct request *r, const char *given);
/* Does the cache directory exist? Die if the user named one that does not, which was mistyped; for
 * the default one print a note. */
bool cache_expect(const struct request *r);
/* The same; die as well if it is not trusted. */
bool cache_open(const struct request *r);
/* The build id of BLOB's complete entry for the list ARCHS, and the stem of its entries; free()
 * that. For a lazy unit they are those of the entry with all its kernels, which serves each of
 * them. */
void cache_build_id(const struct manifest_blob *blob, const char *archs,
                    uint8_t id[CKJIT_BUILD_ID_SIZE]);
char *cache_stem(const struct manifest_blob *blob);
/* The same for KERNEL of a lazy unit, a mangled name; NULL: as above. */
void cache_kernel_id(const struct manifest_blob *blob, const char *archs, const char *kernel,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]);
char *cache_kernel_stem(const struct manifest_blob *blob, const char *kernel);
/* Does the cache have the entry of KERNEL alone? Its name goes to PATH. */
bool cache_find_kernel(const struct request *r, const struct manifest_blob *unit, const char *archs,
                       const char *kernel, char path[PATH_MAX]);
/* Does the cache have BLOB's entry for the list ARCHS? */
bool cache_has(const struct request *r, const struct manifest_blob *blob, const char *archs);
/* Does it have BLOB's entries for all wanted lists (archs.h)? */
bool cache_has_all(const struct request *r, const struct manifest_blob *blob);
/* The build id of the entry without kernels (runtime/ck_jit_wanted.h) for ARCHS; false if BLOB's
 * compiler makes none. */
bool cache_key_apart(const struct request *r, const struct manifest_blob *blob, const char *archs,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* how long leases are watched for a sign of life: a few beats */
enum { CACHE_WATCH_SECONDS = 3 };
/* The state of the entry of STEM with the build id HEX, which the cache does not have: "compiling",
 * "failed" or "absent". Takes up to CACHE_WATCH_SECONDS, once, if machines that share no locks
 * compile into the cache. */
const char *cache_lacks(const struct request *r, const char *stem, const char *hex);
/* From now on the entry with build id STORED, a variant, is found for ID: a job here would load
 * it. */
void cache_take_variant(const uint8_t id[CKJIT_BUILD_ID_SIZE],
                        const uint8_t stored[CKJIT_BUILD_ID_SIZE]);
/* The build id of the variant that is found for ID; NULL: none is. */
const uint8_t *cache_variant(const uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* Find the entry of STEM with build id ID, or its variant; its name goes to PATH. */
bool cache_find_stem(const struct request *r, const char *stem,
                     const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]);
/* The same for BLOB's complete entry. */
bool cache_find_id(const struct request *r, const struct manifest_blob *blob,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]);

#endif
