/* packcache.h - the entries of a cache, for `pack --all` without a manifest. */
#ifndef CKJIT_PREBUILD_PACKCACHE_H
#define CKJIT_PREBUILD_PACKCACHE_H

#include "packfile.h"
#include "prebuild.h"

/* Add to P the entries of R's caches, with --arch those for its list. Returns the number of omitted
 * entries, whose build ids do not follow from their content. Thread safety: main thread only. */
size_t packcache_gather(struct pack *p, const struct request *r);
/* Does the cache DIR have a variant (compile/variant.c) of STEM, or of one of its kernels: an entry
 * of the blob or unit with KEY that neither the architectures of its code nor LISTS explain? The
 * names in DIR are read once. */
bool packcache_has_variant(const char *dir, const char *stem, const uint8_t key[CKJIT_KEY_SIZE],
                           const struct argv *lists);

#endif
