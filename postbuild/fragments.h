/* fragments.h - the device fragments of a link with -fgpu-rdc, and the choices of fragments for
 * each of its blobs.
 *
 * A blob that was compiled with -fgpu-rdc is one part of its kernel. The device functions that it
 * calls are in fragments, other translation units of the same link. These are compiled, and linked
 * with the blob, when the blob is first called. This module finds the fragments; manifest.c makes
 * the key of each, and the blob's key from theirs. docs/fragments.md has the rules and the reasons.
 *
 * A *combination* is a choice of fragments for functions of one blob. Most blobs have one: all
 * fragments without a tag. If tags in the template arguments of a blob's functions choose among
 * fragments, each choice is a combination with its own name, and a separate entry in the cache.
 */
#ifndef CKJIT_FRAGMENTS_H
#define CKJIT_FRAGMENTS_H

#include "units.h"
#include "core/cxx/fragment.h"
#include "core/cache/inputs.h"

struct fragment {
  const struct record *record; /* borrowed */
  /* the late unit whose device functions it has; NULL: a text of device functions alone */
  const struct blob *blob;
  struct fragment_text text;
  unsigned char digest[32]; /* of the source */
  size_t group;             /* index into fragments.groups; SIZE_MAX: it is in the blob's own */
  /* set by manifest.c: its key, and the list of what that is made from */
  char key[DIGEST_HEX], list[DIGEST_HEX];
};

struct fragments {
  struct fragment *list; /* in order of the link */
  size_t n;
  /* of fragments that are compiled alike, with the same headers; without units */
  struct group *groups;
  char **keys; /* which tell groups apart */
  size_t ngroups;
};

/* Read the source of R, a record of kind fragment. A source that is gone, or is no fragment any
 * more, ends the program. */
void fragments_add(struct fragments *f, const struct record *r);
/* The device side of B, a late unit with -fgpu-rdc: other kernels may need its functions. */
void fragments_add_unit(struct fragments *f, const struct blob *b);
/* The fates of blobs are known. One whose host functions nobody needs is in no group of blobs. */
void fragments_settle(struct fragments *f);
/* How many are no late units. */
size_t fragments_alone(const struct fragments *f);
/* Finds the headers of all groups; the compilers work in DIR, run with WITH. Returns the first
 * statement in one of them that takes in a file (core/cc/takes.h); NULL: there is none. */
struct runner;
const char *fragments_headers(struct fragments *f, const char *dir, struct runner *with);
/* Set the combinations of B. */
void fragments_combine(const struct fragments *f, struct blob *b);
void fragments_free(struct fragments *f);

/* Why the object or archive FILE keeps blobs with -fgpu-rdc from being left for later: it has
 * device code that they may need. NULL if it does not; free() it. *NEEDS: it needs device code of
 * others itself. *DEVICE: it has device code. */
char *fragments_obstacle(const char *file, bool *needs, bool *device);

#endif
