/* build.h - what `build` would compile, for `ready`. Thread safety: main thread only. */
#ifndef CKJIT_PREBUILD_BUILD_H
#define CKJIT_PREBUILD_BUILD_H

#include "prebuild.h"

/* An entry that is wanted and that the cache does not have. */
struct lacking {
  const struct manifest_blob *blob;
  const char *name; /* for the user, as in the progress of `build` */
  const char *kernel, *archs;
  /* NULL: they depend on the entry without kernels of its blob, which is lacking as well */
  const char *stem, *build_id;
};

/* Call TELL for each entry that `build` would compile for R. Returns the number of wanted
 * entries. */
size_t build_lacks(struct request *r, void (*tell)(const struct lacking *l, void *user),
                   void *user);
/* Have the look-ups of cache.h find the variants that a job here would load. */
void build_find_variants(const struct request *r);

#endif
