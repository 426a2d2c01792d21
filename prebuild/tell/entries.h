/* entries.h - the entries of a cache, with what is known of each without its library. */
#ifndef CKJIT_PREBUILD_ENTRIES_H
#define CKJIT_PREBUILD_ENTRIES_H

#include "prebuild/prebuild.h"
#include "core/cache/cachedir.h"

#include <jansson.h>

struct entry {
  const struct cachedir_item *item;
  char *stem;    /* of its name */
  size_t blob;   /* the length of the blob's stem in it: less than that of stem, if it is one kernel */
  char *library; /* of which calls or a manifest have the blob; NULL: not known */
  struct argv
      archs; /* after entries_read_archs: for which it has code; none: it has code for the host alone, or is none */
};

struct entries {
  struct cachedir_items items;
  struct entry *list; /* in the order of items: the least recently used first */
  size_t n;
  struct manifest *m; /* that was found for R; NULL: none */
};

/* Read what is in the cache of R, and a manifest if one is named or lies beside this program (its libraries' names are then
 * known). Ends the program if a manifest that is named cannot be read. */
void entries_read(struct entries *e, const struct request *r);
/* Set archs of all of them, which takes a look into each file. */
void entries_read_archs(struct entries *e);
void entries_free(struct entries *e);

/* entryarch.c: append to ARCHS those for which the shared object FILE has code, as far as it says: gfx942, sm_90, compute_90.
 * Thread-safe. "compressed" if only a compiler's tool can read it. */
void entry_archs(struct argv *archs, const char *file);

/* TEXT as a JSON string; what is not UTF-8 in it becomes U+FFFD. */
json_t *entry_text(const char *text);

/* Print OBJ, with line breaks, and free it; ends the program if standard output cannot be written. */
void entries_print_json(json_t *obj);
void entries_flush(void);

#endif
