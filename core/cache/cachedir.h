/* cachedir.h - a cache directory as a whole: whether it may be used, what a killed compile left in it, and
 * its size.
 *
 * abi/ck_jit_entry.h deals with single entries; ckjit-compile makes them. Used by ckjit-compile and
 * ckjit-prebuild. Thread safety: none, one thread per process. Between processes: everything here may run
 * while others compile, load and clean in the same directory.
 */
#ifndef CKJIT_CACHEDIR_H
#define CKJIT_CACHEDIR_H

#include "core/base/base.h"

#include <sys/types.h>
#include <time.h>

/* ---- access.c ---- */

/* Make DIR with mode 0700 if it does not exist, and check that it belongs to the user alone. */
bool cachedir_open(const char *dir, char **err);
/* Can a file be written to DIR, which exists? */
bool cachedir_writable(const char *dir, char **err);
/* The message "cannot WHAT PATH" for errno ERROR, and what to do. PATH is a cache directory or in one. free()
 * it. */
char *cachedir_why(const char *what, const char *path, int error);
/* What to do about errno ERROR of a cache directory; free() it. */
char *cachedir_advice(int error);

/* ---- cachedir.c ---- */

/* Start of the name of a directory in which one compile works beside its output, outside of a cache. In one it
 * is CKJIT_TEMPORARY. */
#define CKJIT_BESIDE ".ckjit-tmp-"

/* The lock file of key HEX (its first 48 bytes) in the cache DIR; free() it. */
char *cachedir_lock_path(const char *dir, const char *hex);
/* Remove NAME from the cache DIR, the directory of a compile, if that was killed. False with errno: it cannot be
 * removed. */
bool cachedir_remove_temporary(const char *dir, const char *name);

/* Remove directories and locks of killed compiles, and temporary files older than an hour. Errors are
 * ignored: the next sweep tries again. */
void cachedir_sweep(const char *dir);

/* How much DIR may hold; 0: no limit. */
struct cachedir_limits {
  uint64_t bytes; /* entries, logs and precompiled headers together */
  uint64_t files; /* entries */
};

/* An item that can be evicted: an entry, a log, a fragment, or a precompiled header with the files beside it. */
struct cachedir_item {
  char *path;
  bool entry, header;
  bool mapped; /* a process has it, so it stays */
  ino_t inode;
  struct timespec used;
  uint64_t bytes;
};

struct cachedir_items {
  struct cachedir_item *list;
  size_t n;
  uint64_t bytes, entries;
};

/* What counts in DIR, in the order in which it would be evicted: precompiled headers of lazy units, then the least recently used first. */
void cachedir_list(struct cachedir_items *items, const char *dir);
void cachedir_list_free(struct cachedir_items *items);

/* After a compile whose result has the base name PLACED ("": there is none): cachedir_sweep, and remove what is too much, with PLACED kept. In a
 * cache of thousands of names only now and then (lastlook.h), or if a limit is passed by what was placed since. */
void cachedir_tidy(const char *dir, const struct cachedir_limits *limits, const char *placed);

/* Read CK_JIT_CACHE_MAX_SIZE and CK_JIT_CACHE_MAX_FILES. */
bool cachedir_limits(struct cachedir_limits *limits, char **err);

/* Remove the least recently used items until DIR is within LIMITS. Kept are KEEP (base name, may be NULL),
 * what a process has mapped, and what is locked, so DIR may exceed the limits while jobs use more. */
void cachedir_limit(const char *dir, const struct cachedir_limits *limits, const char *keep);

#endif
