/* units.h - forwarding units: translation units that declare the functions of all blobs of a
 * library, so that the compiler says what they are called.
 *
 * Nearly all of a small unit's time is its headers (4 to 5 s for CK's), so there are as few units
 * as the processors can compile at once. Blobs share a unit if they are compiled alike: compiler,
 * flags, headers, using-directives. Which unit of its group a blob goes to depends on its stem
 * alone: one blob more or less changes one unit, and a blob whose signatures stay the same changes
 * none.
 */
#ifndef CKJIT_UNITS_H
#define CKJIT_UNITS_H

#include "blob.h"
#include "stubs.h"
#include "core/cache/inputs.h"

/* Blobs that are compiled alike. */
struct group {
  const struct record *sample; /* whose flags they all have */
  struct argv flags;           /* flags_code of the sample */
  struct buf preamble, context;
  /* of the sources, with its dot: the compiler goes by it; borrowed */
  const char *extension;
  unsigned first_unit, nunits;
  size_t nblobs, nfunctions;
  bool includes_within; /* of its one blob */
  /* of blobs that are late: its units have no text */
  bool late;
  /* set by compile.c when the units are compiled */
  char *headers_digest; /* hex */
  /* the headers of all its passes, host and device; paths absolute */
  struct input *inputs;
  size_t ninputs;
  /* names that must not come to be: absent.h */
  struct argv own; /* as in struct inputs */
  struct argv absent;
};

/* One forwarding unit. */
struct unit {
  unsigned group;
  /* absolute; the object is only read for the names in it */
  char *source, *object;
  /* the object that is linked, with the stubs of all blobs but those apart: stubs.h */
  char *stubs;
  /* in order of the text, those apart last; borrowed */
  struct blob **blobs;
  uint32_t *lines; /* the line where each begins */
  size_t nblobs, nfunctions;
  /* for each function, set by unit_symbols */
  const struct ckjit_machine *machine;
  /* what its stub is like; name NULL: there is none */
  struct stub *forward;
  size_t nsymbols; /* how many functions there were then */
  /* its mangled name; NULL if it is not compiled in: an #if was false */
  char **names;
  uint64_t *hashes; /* of that name; 0 */
  bool *hidden;     /* it is not exported */
  /* Withheld by an attribute on the function, its namespace or one of its types, and not only by a
   * flag. */
  bool *withheld;
};

struct units {
  /* of the link, forwarded or not; borrowed */
  struct blob *blobs;
  size_t nblobs;
  struct group *groups;
  size_t ngroups;
  struct unit *units;
  size_t nunits;
  /* The units that have a text; those of late blobs follow them. */
  size_t nwritten;
};

/* Put those of the N blobs that are forwarded into groups and units, at most PROCESSORS units a
 * group. Sets group and unit of each. */
void units_plan(struct units *u, struct blob *blobs, size_t n, const char *dir, unsigned processors);
/* Write the text of unit K to its source file, which is left alone if it would not change. Sets
 * lines, and number and first_function of its blobs. */
void unit_write(struct units *u, unsigned k);
/* Write what unit K would be if it had only the N of its BLOBS, with no other's headers, to FILE;
 * without FUNCTIONS, what stands before these. Another unit_write of K must follow. */
void unit_write_part(const struct units *u, unsigned k, struct blob **blobs, size_t n, bool functions,
                     const char *file);
/* the blob that LINE of the unit belongs to; NULL if it stands before the first */
struct blob *unit_blob_at(const struct unit *u, uint32_t line);
/* Take blob B out of its unit: it will be compiled ahead of time, because of WHY, which is taken
 * over. */
void unit_drop(struct unit *u, struct blob *b, char *why);
/* The compiler does not take B's functions as they are written in its unit: write them by their addresses from
 * now on. False: there is no such form of them, or it has been tried. */
bool unit_say_by_address(struct blob *b);
/* Blobs were dropped: the units that are written from now on lack the headers that only those
 * have. */
void units_merge(struct units *u);
/* Read the mangled names of the functions of unit U, number K, from its object. A unit without
 * blobs has none,
 * and may have no object. False if the object is not understood, with *ERR. */
bool unit_symbols(struct unit *u, unsigned k, char **err);
/* The same of a unit of late blobs, for MACHINE: their functions are those that are demanded. */
void unit_demanded(struct unit *u, const struct ckjit_machine *machine);
/* Does unit U have stubs that are linked by name, as those of blobs apart are not? */
bool unit_has_stubs(const struct unit *u);
/* The number of objects with stubs. For the runtime each is a separate unit: its functions are a
 * run of the table, and its slots an array. They are numbered in the order of units, and in each:
 * the unit's own object, then one for each blob with a separate object. */
size_t units_objects(const struct units *u);
/* Write the objects with stubs, when it is settled which blobs are forwarded. */
void units_write_stubs(const struct units *u);
void units_free(struct units *u);

#endif
