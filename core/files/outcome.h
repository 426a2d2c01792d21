/* outcome.h - ck_jit_units.txt: the outcome of each unit that was recorded for a link
 * (docs/formats.md).
 *
 * The post-build linker writes it beside the manifest, `ckjit explain` reads it. A unit is found by
 * its source and its object, as its record has them. Thread-safe.
 */
#ifndef CKJIT_OUTCOME_H
#define CKJIT_OUTCOME_H

#include "core/base/argv.h"

#define OUTCOME_FILE "ck_jit_units.txt"

enum outcome_kind {
  OUTCOME_LAZY, /* compiled on its first call */
  /* could be lazy, but --aot-list names it */
  OUTCOME_LISTED,
  OUTCOME_AHEAD, /* a blob that is compiled ahead of time */
  /* an ordinary unit whose kernels are compiled when they are launched */
  OUTCOME_UNIT,
  OUTCOME_UNIT_LISTED, /* such a unit that --aot-list names */
  /* an ordinary unit that is compiled as without ckjit */
  OUTCOME_UNIT_AHEAD,
  /* a fragment that is compiled when a kernel needs it */
  OUTCOME_FRAGMENT,
  /* a fragment that is compiled and linked into the library */
  OUTCOME_FRAGMENT_AHEAD,
  /* a dispatcher with tables in place of its chains, with or without erased helpers */
  OUTCOME_TABULATED,
  OUTCOME_ERASED, /* a dispatcher with erased helpers */
  /* a dispatcher that is unchanged, compiled for the host alone */
  OUTCOME_UNCHANGED,
  /* a dispatcher that the recorded command compiles */
  OUTCOME_RECORDED,
  NOUTCOMES
};

struct outcome {
  enum outcome_kind kind;
  char *source, *object; /* absolute */
  char *why;             /* NULL: no reason */
  /* of a unit that is late: what is demanded of it, each "SYMBOL OBJECT" */
  struct argv needs;
  /* of a dispatcher: erased helpers, tables and their rows */
  size_t helpers, tables, rows;
};

/* the outcomes of one link; start with {0} */
struct outcomes {
  char *library; /* absolute */
  /* why the library was built without ckjit; NULL: it was not */
  char *stock;
  struct outcome *all;
  size_t n;
};

/* The word for KIND in the file. */
const char *outcome_name(enum outcome_kind kind);
/* Words for people that follow the name of a library: "compiled ahead of time". */
const char *outcome_says(enum outcome_kind kind);

/* Write O to FILE, unless it would not change. False with errno. */
bool outcomes_write(const char *file, const struct outcomes *o);
/* Read FILE into O, which owns its members. False with *ERR, which names the file; O is then
 * empty. */
bool outcomes_read(const char *file, struct outcomes *o, char **err);
void outcomes_free(struct outcomes *o);

#endif
