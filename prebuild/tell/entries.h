/* entries.h - the entries of a cache, with all that is known of each without its library. */
#ifndef CKJIT_PREBUILD_ENTRIES_H
#define CKJIT_PREBUILD_ENTRIES_H

#include "prebuild/prebuild.h"
#include "core/cache/cachedir.h"

#include <jansson.h>

struct cache_entry {
  const struct cachedir_item *item;
  char *stem; /* of its name */
  /* length of the blob's stem in it, which is shorter than stem for a kernel */
  size_t blob;
  /* whose calls or manifest have the blob; NULL: unknown */
  char *library;
  /* after entries_read_archs: the architectures of its code; none: it has only host code, or
   * none */
  struct argv archs;
};

struct cache_entries {
  struct cachedir_items items;
  /* in the order of items: the least recently used first */
  struct cache_entry *list;
  size_t n;
  struct manifest *m; /* that was found for R; NULL: none */
};

/* Read the entries in the cache of R, and a manifest if one is named or is beside this program
 * (which gives the libraries' names). Ends the program if a named manifest cannot be read. */
void entries_read(struct cache_entries *e, const struct request *r);

/* ---- entryarch.c ---- */

/* Set archs of all entries of CACHE, by its memo and by opening the files that the memo lacks. */
void entries_read_archs(struct cache_entries *e, const char *cache);
/* "gfx90a;gfx942"; free() it. */
char *entry_archs_text(const struct cache_entry *e);
/* Append to ARCHS those for which the shared object FILE has code, as far as it shows:
 * gfx942, sm_90, compute_90. Thread-safe. "compressed" if zlib has compressed it. */
void entry_archs(struct argv *archs, const char *file);

/* Print OBJ, with line breaks, and free it; ends the program if standard output cannot be
 * written. */
void entries_print_json(json_t *obj);
void entries_flush(void);

#endif
