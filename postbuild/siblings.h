/* siblings.h - what the other objects of a link define, for needs.c: their symbols, and the words
 * by which a source uses them.
 *
 * Thread safety: none.
 */
#ifndef CKJIT_SIBLINGS_H
#define CKJIT_SIBLINGS_H

#include "link.h"

#include "core/base/elf.h"
#include "core/base/intern.h"

/* Start with {.l = the link}. */
struct siblings {
  const struct link *l;
  /* the symbols, sorted by name */
  struct sibling {
    char *name;
    const char *file; /* for messages: "a.o", "liba.a(a.o)" */
    bool imported;    /* the table of imports can have it */
  } * all;
  size_t n;
  struct argv files;
  /* source names: of functions; of functions that every unit may define; of kernels whose host
   * stubs are among the symbols */
  struct intern names, weak, kernels;
  /* words that use a symbol without its name before a bracket: of variables of which the linker
   * keeps one, of constructors and operators */
  struct intern shared;
  /* names that headers declare and leave to these objects, or to blobs in archives */
  struct argv lead;
  /* of these, what other blobs may define */
  struct intern recorded;
  /* last names of what late blobs define without a stub, and the number of that blob; SIZE_MAX: of
   * several */
  struct intern late;
  size_t *late_of;
};

/* Read the objects of the link, and the archives that hold records. */
void siblings_read(struct siblings *s);
/* Add what blobs specialise of what the headers leave to others. */
void siblings_add_recorded(struct siblings *s);
/* Add what late blobs define without a stub. */
void siblings_add_late(struct siblings *s);
void siblings_free(struct siblings *s);

/* The symbol NAME; NULL: no sibling has it. */
const struct sibling *siblings_find(const struct siblings *s, const char *name);
/* Does blob B use a function of another unit if its text uses NAME? */
bool siblings_may_define(const struct siblings *s, const struct blob *b, const char *name);
/* Does another blob than B, which is late, define NAME? */
bool siblings_late_elsewhere(const struct siblings *s, const struct blob *b, const char *name);
/* Is NAME defined by B, and by no other unit of the link? */
bool siblings_is_own(const struct siblings *s, const struct blob *b, const char *name);

#endif
