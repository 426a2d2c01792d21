/* units.h - forwarding units: the blobs of one library, put together into as few translation units as the
 * processors can compile at once, because nearly all of a small unit's time is its headers (4 to 5 s for
 * CK's).
 *
 * Blobs share a unit when they are compiled alike: compiler, flags, headers, using-directives. Which unit a
 * blob goes to depends on its stem alone, so one blob more or less changes one unit, and a blob whose
 * signatures stay the same changes none.
 */
#ifndef CKJIT_UNITS_H
#define CKJIT_UNITS_H

#include "blob.h"
#include "core/cache/inputs.h"

/* Blobs that are compiled alike. */
struct group {
  const struct record *sample; /* whose flags they all have */
  struct argv flags;           /* flags_code of it */
  struct buf preamble, context;
  const char *extension; /* of the sources, with its dot: the compiler goes by it */
  unsigned first_unit, nunits;
  size_t nblobs, nfunctions;
  char *headers_digest; /* hex; set by compile.c once the units are compiled, as are inputs */
  struct input *inputs; /* the headers of all its passes, host and device; paths absolute */
  size_t ninputs;
  bool includes_within; /* of its one blob */
};

/* One forwarding unit. */
struct unit {
  unsigned group;
  char *source, *object; /* absolute; the object only says the functions' names */
  char *stubs;           /* the object that is linked */
  struct blob **blobs;   /* in order of the text; borrowed */
  uint32_t *lines;       /* where each begins */
  size_t nblobs, nfunctions;
  char **hidden;    /* the mangled name of each function that is not exported, else NULL */
  size_t nhidden;   /* functions when they were read */
  uint64_t *hashes; /* of the mangled name of each function; 0: not compiled in (an #if was false) */
  char **names;     /* the mangled names themselves; NULL where the hash is 0 */
  size_t nnames;    /* of both */
};

struct units {
  struct group *groups;
  size_t ngroups;
  struct unit *units;
  size_t nunits;
};

/* Sort those of N blobs that are forwarded into groups and units, at most PROCESSORS a
 * group; sets group and unit of each. */
void units_plan(struct units *u, struct blob *blobs, size_t n, const char *dir, unsigned processors);
/* Write unit K's text to its source file (left alone where it would not change); sets number, first_function,
 * lines. */
void unit_write(struct units *u, unsigned k);
/* Which blob LINE of the unit belongs to; NULL before the first. */
struct blob *unit_blob_at(const struct unit *u, uint32_t line);
/* Take blob B out of its unit, because of WHY (taken over): it will be compiled ahead of time. */
void unit_drop(struct unit *u, struct blob *b, char *why);
/* Read the mangled names of the stubs from the unit's object into hashes and names, and write the stubs;
 * functions whose alias is missing stay 0 and have none. */
void unit_symbols(struct unit *u, unsigned k);
void units_free(struct units *u);

#endif
