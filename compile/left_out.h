/* left_out.h - directories of the link's variables that are not used, because another user could
 * have made them since. */
#ifndef CKJIT_COMPILE_LEFT_OUT_H
#define CKJIT_COMPILE_LEFT_OUT_H

#include "core/base/argv.h"

struct left_out {
  /* of the variable; the directory; which part of it is whose, in two lines */
  char *name, *dir, *why;
  /* the variable is in the key by its value */
  bool keyed;
};

/* Append TOOLCHAIN, NAME=VALUE as the link had them, to OUT without what is left out, and that to
 * *LEFT, which has *N. A variable of which nothing is left is none. Thread-safe. */
void left_out_find(struct argv *out, struct left_out **left, size_t *n, const struct argv *toolchain);
void left_out_free(struct left_out *left, size_t n);

#endif
