/* where.h - which library a command is about: its manifest, and its sources. where.c has the order of the places.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_WHERE_H
#define CKJIT_PREBUILD_WHERE_H

#include "prebuild.h"

/* how far to look */
enum where {
  WHERE_NAMED, /* only where the user named a library, and beside this program */
  WHERE_KNOWN, /* also what the cache and the last build know */
  WHERE_MUST,  /* the same; end the program with a message if none is known, or more than one */
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
