/* build.h - the command line of a compile by ckjit-compile.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main thread.
 */
#ifndef CKJIT_PREBUILD_BUILD_H
#define CKJIT_PREBUILD_BUILD_H

#include "prebuild.h"

/* the program that compiles: the root's own, which belongs to the same version, else ours; free() it */
char *find_compile(const struct request *r);
/* what PROGRAM is told of BLOB, whatever is made of it; without INPUTS nothing is held against what the key
 * was made from */
void compile_words(struct argv *command, const struct request *r, const struct manifest_blob *blob,
                   const char *program, const char *archs, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                   bool inputs);
void add_option(struct argv *command, const char *option, char *value);

#endif
