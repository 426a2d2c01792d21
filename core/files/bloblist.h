/* bloblist.h - lists of kernels in files: written by a user, by `ckjit list`, or by a library under
 * CK_JIT_CAPTURE (docs/formats.md).
 *
 * A plain list has one name per line; surrounding white space and lines that begin with # are
 * ignored. A capture states its format in the first line, and its lines have figures before the
 * name. These are accepted without the first line as well, so that `sort -rn capture | head` is a
 * list. Thread-safe.
 */
#ifndef CKJIT_BLOBLIST_H
#define CKJIT_BLOBLIST_H

#include "core/base/argv.h"

/* Append the names in FILE ("-": standard input), in order, to NAMES, and "FILE:LINE" for each to
 * WHERE. False if it cannot be read, is not text, or is a capture in a format that this version
 * does not know; *ERR then begins with FILE; free() it. */
bool bloblist_read(const char *file, struct argv *names, struct argv *where, char **err);

#endif
