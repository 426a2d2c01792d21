/* closure.h - which units of device code are linked: the linker's rule, as a work list over interned names.
 *
 * A unit that is chosen needs names. Each name is looked for once: the unit that defines it is chosen as well, and what
 * that one needs comes next, until nothing is open. What a unit defines and needs is put in when it is known, which may
 * be while the list is worked off: nothing has to be compiled that is not needed.
 *
 *     closure_need(&c, first, needs);
 *     while (closure_next(&c, &who, &name))
 *       if ((by = closure_definer(&c, name)) == CLOSURE_NONE)
 *         …                                   // nobody defines it; or a unit that does is made now: closure_define
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
  size_t *open; /* names that are needed, in the order in which they were */
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
