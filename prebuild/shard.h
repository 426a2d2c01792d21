/* shard.h - which blobs are ours, if several machines share the work.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_SHARD_H
#define CKJIT_PREBUILD_SHARD_H

#include "prebuild.h"

/* Find our shard from --shard, CK_JIT_SHARD or a scheduler's variables; sets shard, shards and shard_said. Call
 * it before names are looked up. */
void shard_options(struct request *r);
/* Reduce blobs to our shard, longest first, set ms, and print the share. */
void shard_blobs(struct request *r);

#endif
