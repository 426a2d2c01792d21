/* inputs.h - from what a user has at hand (names, lists, a matrix) to blobs.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_PREBUILD_INPUTS_H
#define CKJIT_PREBUILD_INPUTS_H

#include "prebuild.h"

/* append the blobs that FILE names, one a line, to names; "-" is standard input */
void inputs_read_list(struct request *r, const char *file);
/* Look all names up in the manifest: blobs and nblobs. False if one is unknown, after naming each that is.
 */
bool inputs_resolve(struct request *r);

#endif
