/* keep.h - sources that outlive their build tree.
 *
 * A kernel is compiled when it is first called, from its source. pip builds in a directory below /tmp, which
 * it removes when the wheel is made. So what the blobs of a library are made of is copied into the work
 * directory (`keep: sources` in a profile), and the library finds it there; names are stored relative to the
 * tree, as for an installation.
 */
#ifndef CKJIT_KEEP_H
#define CKJIT_KEEP_H

#include "blob.h"
#include "units.h"

/* The directory that the sources of all N BLOBS and CWD lie in; NULL where that is no directory of a build:
 * the root, or one below it. free() it. */
char *keep_base(const struct blob *blobs, size_t n, const char *cwd);
/* Copy the sources of the N BLOBS and the headers of U that lie below BASE to the same names below a
 * directory of their own in DIR, named by what is in them: a library of another version that is built with
 * the same work directory has another. Its name; free() it. Dies where a file cannot be copied. */
char *keep_sources(const char *dir, const char *base, const struct blob *blobs, size_t n,
                   const struct units *u);

#endif
