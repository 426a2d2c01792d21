/* depcache.h - a cache for the results of include scans.
 *
 * All blobs of a family include the same header, and with -MD each call would open and read the
 * same 180 headers of CK and look for 400 names that do not exist. The result of a scan depends on
 * the search directories, the directives of the source, and what was found under each name looked
 * up. The first two are the key of an entry. The third is its content, with a stamp for each file,
 * and is checked before use: one stat per file, and one per directory in which names were not
 * found. No file but the entry is read. docs/formats.md, "The include cache", describes the format.
 *
 * An entry is a file in a directory of the work directory and is replaced atomically; any number of
 * processes may read and write. It is written when its key is seen for the second time; the first
 * time leaves an empty file. So a build in which every source includes something else is not slowed
 * down by entries that nobody reads.
 */
#ifndef CKJIT_DEPCACHE_H
#define CKJIT_DEPCACHE_H

#include "core/base/base.h"

#include <sys/stat.h>

/* what a scan found for one name */
struct dep {
  char *path;  /* as looked up */
  bool system; /* through -isystem or -idirafter */
  bool listed; /* false: same file as an earlier one */
  /* only conditions that nobody has evaluated lead to it */
  bool maybe;
  uint64_t stamp; /* of the file; 0: not found */
};

/* All names that a scan looked up, in order. Start with {0}. */
struct deps {
  struct dep *list;
  size_t n;
  /* nanoseconds since 1970 */
  int64_t newest; /* latest change of any of the files */
  /* time of the call of depcache_read, which sets it */
  int64_t started;
};

/* Append a name; ST is NULL if it is no regular file. PATH is copied. */
void deps_add(struct deps *d, const char *path, const struct stat *st, bool system, bool listed);
void deps_free(struct deps *d);

enum depcache {
  /* D holds the listed files, without the names that were not found */
  DEPCACHE_HIT,
  /* D is empty; write the scan's result */
  DEPCACHE_MISS,
  /* D is empty; first lookup of this key, do not write yet */
  DEPCACHE_NEW,
};

/* Look up KEY in directory DIR. DEPCACHE_NEW if DIR cannot be used. */
enum depcache depcache_read(const char *dir, const struct buf *key, struct deps *d);
/* Store D as the result for KEY. Failures are ignored, and nothing is stored if a file changed so
 * recently that its time stamp may not show the next change. */
void depcache_write(const char *dir, const struct buf *key, const struct deps *d);

#endif
