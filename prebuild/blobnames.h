/* blobnames.h - finds blobs by the names that users have (names, lists, a matrix).
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_BLOBNAMES_H
#define CKJIT_PREBUILD_BLOBNAMES_H

#include "prebuild.h"

/* Append the blobs in FILE, which OPTION named, one per line, to names; "-" is standard input. */
void blobnames_read_list(struct request *r, const char *option, const char *file);
/* Look up all names in the manifest; sets blobs, nblobs and unknown. False if a combination of the
 * matrix matches nothing, which is reported. */
bool blobnames_take(struct request *r);
/* The same. False if one is unknown, after
 * reporting each. */
bool blobnames_resolve(struct request *r);

#endif
