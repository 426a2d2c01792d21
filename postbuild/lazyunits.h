/* lazyunits.h - the lazy units of a link: ordinary units whose objects stay in it, with host code
 * that is the build's own, and whose kernels are compiled when they are launched (docs/formats.md,
 * "The lazy unit").
 *
 * They are independent of forwarding units (units.h). Each is a row of the library's tables,
 * without functions, after the rows of the blobs. The link adds only options for them: --wrap for
 * the functions that register kernels, and for those of HIP's functions that take a kernel's
 * address and that an object of the link calls. The runtime answers those calls
 * (runtime/ck_jit_hip_kernels.c).
 */
#ifndef CKJIT_LAZYUNITS_H
#define CKJIT_LAZYUNITS_H

#include "core/files/record.h"

struct lazy_unit {
  const struct record *record; /* borrowed, as file and member are */
  /* where it is; member "": the file is the object */
  const char *file, *member;
  /* of its kernels in the cache; NULL: an earlier one has the same key, which is the same row */
  char *stem;
  /* it is compiled as without ckjit; NULL: it is lazy */
  char *why;
  /* of one with -rdc=true and kernels: its record, RECORD being that of its kernels linked with
   * other units; else NULL */
  const struct record *own;
  /* -rdc=true: kernels may need the device code of others (linkedunits.c) */
  bool linked;
  /* … because --aot-list has it, or a kernel of it */
  bool listed;
  /* by this link of a blob (instead.c): record and file are its own, and the file is no input of
   * the link */
  bool made;
};

/* Start with {0}. */
struct lazy_units {
  struct lazy_unit *list;
  size_t n;
};

/* One more, found in FILE, a MEMBER of it or "". */
void lazy_units_add(struct lazy_units *u, const struct record *r, const char *file, const char *member);
/* One more, made by this link: OBJECT, which is copied, with its record R, which is taken over. */
void lazy_units_make(struct lazy_units *u, struct record *r, const char *object);
/* How many of those that were made are lazy. */
size_t lazy_units_made(const struct lazy_units *u);
/* Is U a row of the tables, the first of its key, and lazy or in the list? A unit in --aot-list is
 * a row so that the next link's list can know it. */
bool lazy_unit_is_row(const struct lazy_unit *u);
/* How many rows there are. */
size_t lazy_units_rows(const struct lazy_units *u);
void lazy_units_free(struct lazy_units *u);

#endif
