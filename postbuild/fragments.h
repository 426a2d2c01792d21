/* fragments.h - the device fragments of a link with -fgpu-rdc, and what each of its blobs may be linked with.
 *
 * A blob that was compiled with -fgpu-rdc is one part of its kernel: the device functions that it calls are
 * in fragments, units of the same link. They are compiled, and linked with the blob, at the blob's first call
 * (compile/parts.c). Here is said which there are, with a key for each; the blob's own key is
 * made of theirs. docs/fragments.md has the rules, and why.
 *
 * A *combination* is a choice of fragments for functions of one blob. Most blobs have one, all fragments
 * without a tag. Where tags in the template arguments of a blob's functions choose among fragments, each
 * choice is a combination with a name of its own, and becomes an entry of its own in the cache.
 */
#ifndef CKJIT_FRAGMENTS_H
#define CKJIT_FRAGMENTS_H

#include "units.h"
#include "core/cxx/fragment.h"
#include "core/cache/inputs.h"

struct fragment {
  const struct record *record; /* borrowed */
  struct fragment_text text;
  unsigned char digest[32]; /* of the source */
  size_t group;             /* index into fragments.groups */
  /* set by embed.c */
  char key[DIGEST_HEX], list[DIGEST_HEX];
};

struct fragments {
  struct fragment *list; /* in order of the link */
  size_t n;
  struct group *groups; /* compiled alike, with the same headers; no units */
  char **keys;          /* by which groups are told apart */
  size_t ngroups;
};

/* Read the source of R, a record of kind fragment. A source that is gone ends the program. */
void fragments_add(struct fragments *f, const struct record *r);
/* Learn the headers of all groups; the compilers work in DIR, as WITH says. */
struct runner;
void fragments_headers(struct fragments *f, const char *dir, struct runner *with);
/* the combinations of B, into B */
void fragments_combine(const struct fragments *f, struct blob *b);
void fragments_free(struct fragments *f);

/* What stands in the way of leaving blobs with -fgpu-rdc for later: device code in the object or archive FILE
 * that they may need. NULL where nothing does; *NEEDS: it needs device code of others itself; *DEVICE: there
 * is device code in it. free() it. */
char *fragments_obstacle(const char *file, bool *needs, bool *device);

#endif
