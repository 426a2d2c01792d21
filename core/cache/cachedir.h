/* cachedir.h - a cache directory as a whole: whether it may be used, the remains of killed
 * compiles, and its size.
 *
 * abi/ck_jit_entry.h deals with single entries; ckjit-compile makes them. Used by ckjit-compile and
 * ckjit-prebuild. Thread safety: none, one thread per process. Between processes: everything here
 * may run while others compile, load and clean in the same directory.
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
/* The message "cannot WHAT PATH" for errno ERROR, with advice. PATH is a cache directory or in one.
 * free() it. */
char *cachedir_why(const char *what, const char *path, int error);
/* Advice for errno ERROR of a cache directory; free() it. */
char *cachedir_advice(int error);

/* ---- cachedir.c ---- */

/* First part of the name of a directory in which one compile works beside its output, outside a
 * cache. In a cache it is CKJIT_TEMPORARY. */
#define CKJIT_BESIDE ".ckjit-tmp-"

/* The lock file of key HEX (its first 48 bytes) in the cache DIR; free() it. */
char *cachedir_lock_path(const char *dir, const char *hex);
/* Remove NAME, the directory of a compile in the cache DIR, if that compile was killed. False with
 * errno: it cannot be removed. */
bool cachedir_remove_temporary(const char *dir, const char *name);

/* Remove directories and locks of killed compiles, and temporary files older than an hour. Errors
 * are ignored: the next sweep tries again. */
void cachedir_sweep(const char *dir);

/* The limits of a cache; 0: no limit. */
struct cachedir_limits {
  /* entries, logs and precompiled headers together */
  uint64_t bytes;
  uint64_t files; /* entries */
};

/* An item that can be evicted: an entry, a log, a fragment, or a precompiled header with the files
 * beside it. */
struct cachedir_item {
  char *path;
  bool entry, header;
  bool mapped; /* a process has mapped it, so it stays */
  ino_t inode;
  struct timespec used;
  uint64_t bytes;
};

struct cachedir_items {
  struct cachedir_item *list;
  size_t n;
  uint64_t bytes, entries;
};

/* The items of DIR that count, in the order of eviction: precompiled headers of lazy units first,
 * then the least recently used. */
void cachedir_list(struct cachedir_items *items, const char *dir);
void cachedir_list_free(struct cachedir_items *items);

/* Call it after a compile whose result has the base name PLACED ("": none). It calls cachedir_sweep
 * and removes the excess, but not PLACED. In a cache of thousands of names it does so only now and
 * then (lastlook.h), or if new entries exceed a limit. */
void cachedir_tidy(const char *dir, const struct cachedir_limits *limits, const char *placed);

/* Read CK_JIT_CACHE_MAX_SIZE and CK_JIT_CACHE_MAX_FILES. */
bool cachedir_limits(struct cachedir_limits *limits, char **err);

/* Remove the least recently used items until DIR is within LIMITS. It keeps KEEP (base name, may be
 * NULL), mapped and locked items, so DIR may exceed the limits while jobs use more. */
void cachedir_limit(const char *dir, const struct cachedir_limits *limits, const char *keep);

#endif
