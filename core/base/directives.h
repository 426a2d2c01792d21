/* directives.h - the directives of a C++ text that include a file, or may name one, for
 * core/cc/deps.c and for units of several files. Conditions are not evaluated. Thread safety: no
 * shared state.
 */
#ifndef CKJIT_DIRECTIVES_H
#define CKJIT_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>

enum include { QUOTED, ANGLED, NEXT, EMBED, EMBED_ANGLED };

/* a part of a text */
struct span {
  const char *p;
  size_t n;
};

/* what includes something */
struct directive {
  struct span macro;  /* included instead of a header; or defined as it. Else empty */
  struct span header; /* empty: it is the macro's */
  enum include how;   /* of HEADER */
  bool sure;          /* no condition decides about it, as far as a look at its line can tell */
};

typedef void each_directive(void *user, const struct directive *d);

/* The name in quotes or angles at P; empty if there is none. */
struct span span_header(const char *p, const char *end, enum include *how);
/* Call EACH for the directives of TEXT, LEN bytes, in their order. */
void directives_scan(const char *text, size_t len, each_directive *each, void *user);

#endif
