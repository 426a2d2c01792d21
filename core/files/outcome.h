/* outcome.h - ck_jit_units.txt: what a link made of each unit that was recorded for it (docs/formats.md).
 *
 * The post-build linker writes it beside the manifest, `ckjit explain` reads it. A unit is found by its source
 * and its object, which are those of its record. Thread-safe.
 */
#ifndef CKJIT_OUTCOME_H
#define CKJIT_OUTCOME_H

#include "core/base/base.h"

#define OUTCOME_FILE "ck_jit_units.txt"

enum outcome_kind {
  OUTCOME_LAZY,           /* compiled on its first call */
  OUTCOME_LISTED,         /* could be lazy, but --aot-list has it */
  OUTCOME_AHEAD,          /* a blob that is compiled ahead of time */
  OUTCOME_UNIT,           /* an ordinary unit whose kernels are compiled when they are launched */
  OUTCOME_UNIT_LISTED,    /* … that could be, but --aot-list has it */
  OUTCOME_UNIT_AHEAD,     /* … that is compiled as without ckjit */
  OUTCOME_FRAGMENT,       /* a fragment that is compiled when a kernel needs it */
  OUTCOME_FRAGMENT_AHEAD, /* … and that is compiled and linked into the library */
  OUTCOME_TABULATED,      /* a dispatcher with tables in place of its chains, helpers erased or not */
  OUTCOME_ERASED,         /* … with helpers erased */
  OUTCOME_UNCHANGED,      /* … as it was, for the host alone */
  OUTCOME_RECORDED,       /* … compiled by the recorded command */
  NOUTCOMES
};

struct outcome {
  enum outcome_kind kind;
  char *source, *object;        /* absolute */
  char *why;                    /* NULL: nothing to say */
  size_t helpers, tables, rows; /* of a dispatcher: erased, and made */
};

/* of one link; start with {0} */
struct outcomes {
  char *library; /* absolute */
  char *stock;   /* why it was made as without ckjit; NULL: it was not */
  struct outcome *all;
  size_t n;
};

/* The word for KIND in the file. */
const char *outcome_name(enum outcome_kind kind);
/* The words for people, to follow the name of a library: "compiled ahead of time". */
const char *outcome_says(enum outcome_kind kind);

/* Write O to FILE, unless it would not change. False with errno. */
bool outcomes_write(const char *file, const struct outcomes *o);
/* Read FILE into O, which owns what it gets. False with *ERR, which names the file; O is then empty. */
bool outcomes_read(const char *file, struct outcomes *o, char **err);
void outcomes_free(struct outcomes *o);

#endif
