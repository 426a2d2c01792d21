/* tarfile.h - writes a tar that zstd compresses: a pack, a report. Its members are regular files.
 *
 * Functions end the program with a message if they cannot do their task; then no file is left.
 * Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_TARFILE_H
#define CKJIT_PREBUILD_TARFILE_H

#include "core/base/base.h"

struct archive;

/* Write FILE ("-": standard output) with the members that FILL adds; COMMAND is for messages. A
 * regular file gets its name when it is complete; returns its size, of other files 0. */
uint64_t archive_write(const char *command, const char *file,
                       void (*fill)(struct archive *to, void *data), void *data);

/* Add the member NAME, less than 100 bytes, or with a '/' in a suitable place 255: all at once, or
 * SIZE bytes in pieces between a begin and an end. */
void archive_add(struct archive *to, const char *name, const void *bytes, size_t size);
void archive_begin(struct archive *to, const char *name, uint64_t size);
void archive_put(struct archive *to, const void *bytes, size_t n);
void archive_end(struct archive *to, uint64_t size);

#endif
