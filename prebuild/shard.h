/* shard.h - which blobs are ours, if many machines share the work.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main thread.
 */
#ifndef CKJIT_PREBUILD_SHARD_H
#define CKJIT_PREBUILD_SHARD_H

#include "prebuild.h"

/* Which shard is ours, where several tasks share the work, by --shard, CK_JIT_SHARD or the variables of a
 * scheduler: shard, shards and shard_said. To be called before names are looked up. */
void shard_options(struct request *r);
/* Leave in blobs those of our shard, and put those that take longest first: ms. Tells the share. */
void shard_blobs(struct request *r);

#endif
