/* zstd.h - a stream through the program zstd: what packs are compressed with.
 *
 * A program and no library: nothing of ckjit depends on it but packs, and a machine that only runs jobs needs neither.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_ZSTD_H
#define CKJIT_PREBUILD_ZSTD_H

#include "core/base/base.h"

#include <sys/types.h>

struct zstd {
  pid_t pid; /* 0: none runs, and FD is the stream itself */
  int fd;    /* our end */
};

/* Compress into OUT, which stays the caller's: what is written to z->fd. WHAT names the file in messages. */
void zstd_compress(struct zstd *z, int out, const char *what);
/* Decompress IN, which stays the caller's: what is read from z->fd. A stream that begins with PLAIN is passed through, without the program, which
 * a machine may lack. False: it begins neither so nor as what zstd compresses. WHAT as above. */
bool zstd_decompress(struct zstd *z, int in, char plain, const char *what);
/* Close our end and wait for the program's. False: it failed, and has said why. */
bool zstd_end(struct zstd *z);
/* End it at once. */
void zstd_stop(struct zstd *z);

#endif
