/* packcache.h - the entries of a cache, for `pack --all` without a manifest. */
#ifndef CKJIT_PREBUILD_PACKCACHE_H
#define CKJIT_PREBUILD_PACKCACHE_H

#include "packfile.h"
#include "prebuild.h"

/* Add to P the entries of R's caches, with --arch those for its list. Returns the number of omitted
 * entries, whose build ids do not follow from their content. Thread safety: main thread only. */
size_t packcache_gather(struct pack *p, const struct request *r);

#endif
