/* fragments.h - a blob with -fgpu-rdc: its parts, each a cached object, and the link of those it
 * needs.
 *
 * The list of a blob's inputs says whether it has parts (core/cache/inputs.h: entry, fragments). Its entry, the
 * blob's own source, and the device fragments are compiled by the build's own command into objects,
 * <cache>/.fragments/<build id>.o, each under its own key, lock and seal. Which fragments are needed is read
 * from the symbols of the objects themselves: what is not needed is not compiled, or not linked.
 * docs/fragments.md.
 *
 * Errors: as in compile.h.
 */
#ifndef CKJIT_COMPILE_FRAGMENTS_H
#define CKJIT_COMPILE_FRAGMENTS_H

#include "compile.h"

/* the objects that a blob is linked of */
struct parts {
  struct argv objects; /* the entry's first, then the fragments' in order of the link */
  struct argv ids;     /* the build id of each, hexadecimal */
  struct buf missing;  /* a line for each device function that no fragment defines; empty: none */
  size_t compiled;     /* how many were not in the cache */
};

/* whether T is such a blob */
bool parts_are_needed(const struct compile_task *t);
/* Get the parts of T: from the cache, or in the directory PLACE where there is none. NULL or why not. */
char *parts_make(struct parts *p, const struct compile_task *t, const char *place);
/* The objects under names of their own in TEMPORARY, so that nobody who makes room in the cache removes them
 * while they are linked. False where one is gone already. */
bool parts_hold(struct parts *p, const struct compile_task *t, const char *temporary);
/* In FILE the same parts linked before, for another build id, now for T's. False where there is no such file.
 */
bool parts_linked_before(const struct parts *p, const struct compile_task *t, const char *file);
/* T->placed is what these parts were linked into. */
void parts_remember(const struct parts *p, const struct compile_task *t);
void parts_free(struct parts *p);

#endif
