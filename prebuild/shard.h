/* shard.h - this task's part of the blobs, if several machines share the work.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_SHARD_H
#define CKJIT_PREBUILD_SHARD_H

#include "prebuild.h"

/* Find the shard from --shard, CK_JIT_SHARD or a scheduler's variables; sets shard, shards and
 * shard_said. Call it before names are looked up. */
void shard_options(struct request *r);
/* Reduce blobs to this shard, longest first, set ms, and print the share. Without shards: all. */
void shard_blobs(struct request *r);

#endif
