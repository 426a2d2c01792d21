/* where.h - the library of a command: its manifest, and its sources. where.c has the order of the
 * places.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_WHERE_H
#define CKJIT_PREBUILD_WHERE_H

#include "prebuild.h"

/* how far to search */
enum where {
  /* only the library that the user named, and beside this program */
  WHERE_NAMED,
  WHERE_KNOWN, /* also the cache and the last build */
  /* the same; end the program with a message if none is known, or more than one */
  WHERE_MUST,
};

/* The manifest of the library; free() it. NULL: none is known, or more than one. */
char *where_manifest(const struct request *r, enum where reach);
/* Is FILE a library that ckjit linked? */
bool where_is_library(const char *file);
/* Read the manifest where_manifest(R, WHERE_MUST) into R, and set R's root. */
void where_load(struct request *r);
/* The directory that {root} stands for in M; free() it. */
char *where_root(const struct request *r, const struct manifest *m);
/* Print the order of the places, for help pages. */
void where_help(void);

#endif
