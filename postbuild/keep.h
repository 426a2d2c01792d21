/* keep.h - sources that outlive their build tree.
 *
 * A kernel is compiled from its source when it is first called. pip builds in a directory below
 * /tmp, which it removes when the wheel is made. So what the blobs of a library are made of is
 * copied into the work directory (`keep: sources` in a profile), and the library finds it there.
 * Names are stored relative to the tree, as for an installation.
 */
#ifndef CKJIT_KEEP_H
#define CKJIT_KEEP_H

#include "blob.h"
#include "lazyunits.h"
#include "units.h"

/* The directory that CWD and the sources of all N BLOBS lie in; NULL if that cannot be a build's:
 * the root, or a directory in it. free() it. */
char *keep_base(const struct blob *blobs, size_t n, const char *cwd);
/* Copy those of the sources of the N BLOBS of the headers of U and of the texts of LAZY that lie
 * below one of BASES into a directory in DIR, under the same names below it. It is named by their content,
 * so a library of another version that is built with the same work directory has another one.
 * Returns its name; free() it. If a file cannot be copied, the program ends. */
char *keep_sources(const char *dir, const struct argv *bases, const struct blob *blobs, size_t n,
                   const struct units *u, const struct lazy_units *lazy);

#endif
