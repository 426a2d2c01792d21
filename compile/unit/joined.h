/* joined.h - the kernels of a unit with -rdc=true: which other units each needs.
 *
 * The text of such a unit is a list of those that were linked into its library
 * (core/files/linkedunit.h).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_JOINED_H
#define CKJIT_COMPILE_UNIT_JOINED_H

#include "part.h"

#include "compile/closure.h"
#include "core/files/linkedunit.h"

/* Is T a kernel of such a unit, or all of them? */
bool joined_is(const struct compile_task *t);
/* Gets its parts into the cache (part.h), by NEED. To be called before T has its directory. */
bool joined_parts_get(const struct compile_task *t, need_fn *need, char **err);

/* The units that one kernel of T, or all kernels of its unit, have for ARCH. */
struct joined {
  const struct compile_task *t;
  const char *arch;
  /* A part that is not in the cache is made in TEMPORARY, or, if that is NULL, by NEED in the
   * cache. */
  const char *temporary;
  need_fn *need;
  /* The kernel, and what a program requests with it. */
  struct linkedunit_choices asked;
  /* those of the list, and the program's texts, which begin with number `texts` */
  struct linkedunits all;
  size_t texts;
  struct part_code *code; /* of those that are chosen */
  bool *chosen, *wide;    /* wide: all that is in it counts as used */
  struct closure closure; /* what is defined by chosen ones, and needed */
  struct closure listed;  /* what is defined by those that the kernel may have, by the list */
  struct buf missing;     /* a line for each function that nobody defines */
  bool calls;             /* what the kernel reaches calls functions by their addresses */
};

/* Choose the units of T's kernel for ARCH and get their parts, by NEED or in TEMPORARY. joined_free()
 * C in either case; a C of zeros may be freed, too. */
bool joined_open(struct joined *c, const struct compile_task *t, const char *arch, need_fn *need,
                 const char *temporary, char **err);
void joined_free(struct joined *c);
/* The linker misses something: choose everything that any function of the chosen units needs. False:
 * there is nothing more, unless *ERR is set. Missing parts are built in this link's temporary
 * directory and deleted with it, since a process has only one (compile/engine.c). */
bool joined_widen(struct joined *c, char **err);
/* A variable of unit I that the kernel uses, and others or the host may write; NULL: none. */
const char *joined_shared_variable(const struct joined *c, size_t i);

#endif
