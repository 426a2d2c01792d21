/* parts.h - a blob with -fgpu-rdc: the objects that it is linked of, and their link.
 *
 * The list of a blob's inputs says whether it has parts (core/cache/inputs.h: entry, fragments).
 * Its entry, the blob's own source, and the device fragments are compiled by the build's own
 * command into objects. Which fragments are needed is read from the symbols of the
 * objects themselves: what is not needed is not compiled, or not linked (docs/fragments.md).
 *
 *     parts.c        which parts a blob needs
 *     parts_link.c   their link, or what the same parts were linked into before
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_PARTS_H
#define CKJIT_COMPILE_PARTS_H

#include "turn.h"

struct parts {
  /* the entry's first, then the fragments' in order of the link */
  struct argv objects;
  /* what the device code of the entry defines: its kernels, and functions. None: not known */
  struct argv exports;
  struct argv ids; /* the build id of each, hexadecimal */
  /* a line for each device function that no fragment defines; empty: none */
  struct buf missing;
  size_t compiled; /* how many were not in the cache */
};

/* whether T is such a blob */
bool parts_are_needed(const struct compile_task *t);
/* Get the parts of T: into the cache, by NEED, or without one into the directory PLACE. */
bool parts_make(struct parts *p, const struct compile_task *t, need_fn *need, const char *place, char **err);
/* Link them in TEMPORARY into FILE, with the log LOG. */
bool parts_link(struct parts *p, const struct compile_task *t, const char *temporary, const char *file,
                const char *log, char **err);
/* Remember that T->placed is what these parts were linked into. */
void parts_remember(const struct parts *p, const struct compile_task *t);
/* The same for a file MEMO in CKJIT_FRAGMENTS, whose name says of what T is linked. */
void parts_remember_as(const struct compile_task *t, const char *memo);
/* Before *ERR, what a linker said: MISSING, a line for each device function that no OF, "fragment"
 * or "unit", defines. Nothing is done if it is empty. */
void parts_name_missing(const struct compile_task *t, const char *of, const struct buf *missing, char **err);
/* Make FILE of what MEMO remembers, which may have another build id, with T's. False: there is no
 * such entry. */
bool parts_linked_before(const struct compile_task *t, const char *memo, const char *file);
void parts_free(struct parts *p);

#endif
