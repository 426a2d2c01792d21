/* bloblist.h - lists of kernels in files: what a user wrote, what `ckjit-prebuild list` printed, and what a
 * library wrote under CK_JIT_CAPTURE (docs/formats.md).
 *
 * A plain list has a name a line, white space around it and lines that begin with # not counted. A capture
 * says its format in its first line; its lines have figures before the name, and they are taken without that
 * first line as well: `sort -rn capture | head` is a list. Thread-safe.
 */
#ifndef CKJIT_BLOBLIST_H
#define CKJIT_BLOBLIST_H

#include "core/base/argv.h"

/* Append the names in FILE ("-": standard input), in its order, to NAMES, and "FILE:LINE" for each to WHERE.
 * False: nothing can be read, or it is a capture of a format that this version does not know; *ERR begins
 * with FILE; free() it. */
bool bloblist_read(const char *file, struct argv *names, struct argv *where, char **err);

#endif
