/* inputs.h - from the names that a user has at hand (names, lists, a matrix) to blobs.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: main thread only.
 */
#ifndef CKJIT_PREBUILD_INPUTS_H
#define CKJIT_PREBUILD_INPUTS_H

#include "prebuild.h"

/* Append the blobs that FILE, which OPTION gave, names, one per line, to names; "-" is standard input. */
void inputs_read_list(struct request *r, const char *option, const char *file);
/* Look up all names in the manifest; sets blobs and nblobs. False if one is unknown, after reporting each. */
bool inputs_resolve(struct request *r);

#endif
