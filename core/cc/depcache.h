/* depcache.h - the answer of an include scan, kept for the next call that asks the same.
 *
 * All blobs of a family include the same header, and with -MD each call would open and read the same 180
 * headers of CK and look for 400 names that do not exist. The answer depends on the directories searched, the
 * directives of the source, and on what was found under each name looked at; the first two are the key of an
 * entry, the third is in it, with a stamp for each file, and is checked before it is believed: a stat for
 * each file, and one for each directory in which names were looked up and not found. Nothing is read but the
 * entry. docs/formats.md, "The include cache", is the format.
 *
 * An entry is a file in a directory of the work directory, replaced at once; any number of processes may read
 * and write. It is written when a key is met for the second time: the first leaves an empty file, so that a
 * build whose sources include each something else is not slowed by entries that nobody reads.
 */
#ifndef CKJIT_DEPCACHE_H
#define CKJIT_DEPCACHE_H

#include "core/base/base.h"

#include <sys/stat.h>

/* what a scan found under one name */
struct dep {
  char *path;     /* as it was looked for */
  bool system;    /* through -isystem or -idirafter */
  bool listed;    /* false: the same file as one before */
  uint64_t stamp; /* of the file; 0: none was there */
};

/* All names that a scan looked at, in order. Start with {0}. */
struct deps {
  struct dep *list;
  size_t n;
  /* in nanoseconds since 1970 */
  int64_t newest;  /* the latest change of a file */
  int64_t started; /* when depcache_read was asked; set by it */
};

/* Append a name; ST is NULL where no regular file is there. PATH is copied. */
void deps_add(struct deps *d, const char *path, const struct stat *st, bool system, bool listed);
void deps_free(struct deps *d);

enum depcache {
  DEPCACHE_HIT,  /* D holds the listed files; names that were looked up and not found are not among them */
  DEPCACHE_MISS, /* D is empty; the scan's answer should be written */
  DEPCACHE_NEW,  /* D is empty; nobody has asked this before, and nothing should be written yet */
};

/* Look KEY up in directory DIR. Where DIR cannot be used it is DEPCACHE_NEW. */
enum depcache depcache_read(const char *dir, const struct buf *key, struct deps *d);
/* Keep D as the answer to KEY. What fails, or must not be kept because a file is too young for its time stamp
 * to tell the next change, is not kept. */
void depcache_write(const char *dir, const struct buf *key, const struct deps *d);

#endif
