/* closure.h - chooses the units of device code to link: the linker's rule, as a work list over
 * interned names.
 *
 * A chosen unit needs names. Each name is looked for once: the unit that defines it is chosen too,
 * then the names that this unit needs are looked for, until none is open. The names that a unit
 * defines and needs are added when they are known, which may happen while the list is being worked
 * off, so no unit is compiled that is not needed.
 *
 *     closure_need(&c, first, needs);
 *     while (closure_next(&c, &who, &name))
 *       if ((by = closure_definer(&c, name)) == CLOSURE_NONE)
 *         …                                   // no unit defines it; or one is made now: closure_define
 *       else if (!chosen[by])
 *         chosen[by] = true, closure_need(&c, by, …);
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_CLOSURE_H
#define CKJIT_COMPILE_CLOSURE_H

#include "core/base/intern.h"

#define CLOSURE_NONE SIZE_MAX

/* Start with {0}. */
struct closure {
  struct intern names;
  struct closure_name *list; /* by the number of the name */
  size_t n;
  /* names that are needed, in the order in which they were */
  size_t *open;
  size_t nopen, next;
};

/* UNIT defines NAMES. Of several units that define a name the first counts. */
void closure_define(struct closure *c, size_t unit, const struct argv *names);
/* The unit that defines NAME; CLOSURE_NONE: no unit yet. */
size_t closure_definer(const struct closure *c, const char *name);
/* UNIT, which is chosen, needs NAME, or NAMES. */
void closure_need(struct closure *c, size_t unit, const char *name);
void closure_need_all(struct closure *c, size_t unit, const struct argv *names);
/* The next NAME that is needed, and WHO needed it first; each comes once. NAME is valid until
 * closure_free. False: none is open. */
bool closure_next(struct closure *c, size_t *who, const char **name);
void closure_free(struct closure *c);

#endif
