/* absent.h - headers that __has_include looks for. */
#ifndef CKJIT_ABSENT_H
#define CKJIT_ABSENT_H

#include "tools.h"
#include "units.h"

/* Append to G's absent the names that must not come to be, as __has_include in the headers or
 * blobs of G would find them; paths absolute. Returns what the key has of all such names, found
 * or not; free() it. NULL: there are none. For the main thread. */
char *absent_headers(struct tools *t, struct group *g, const struct units *u);

/* The directories that R's compiler searches for headers after those of the command line, by its own
 * words. T remembers what it says. Borrowed until the next call. For the main thread. */
const struct argv *compiler_directories(struct tools *t, const struct record *r);

#endif
