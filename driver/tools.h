/* tools.h - the real compilers that a fake home stands in for.
 *
 * Functions end the program with a message, and status 1, if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_TOOLS_H
#define CKJIT_DRIVER_TOOLS_H

#include "core/cc/compiler.h"

/* Paths are absolute. */
struct tools {
  const struct compiler *kind;
  char *home;     /* the real home */
  char *compiler; /* the real compiler: hipcc, nvcc */
  char *cxx;      /* the real C++ compiler */
  char *clang;    /* the clang++ that hipcc starts; NULL where it is not known, and of another kind */
};

/* Find the real tools of KIND: the variable that names its compiler, HOME (--rocm or --cuda, NULL where it
 * was not given), the variables that name its home, the PATH, the usual directories, in that order, fake
 * homes never. */
void tools_find(struct tools *t, const struct compiler *kind, const char *home);
void tools_free(struct tools *t);

#endif
