/* compilewords.h - the command line of ckjit-compile.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_COMPILEWORDS_H
#define CKJIT_PREBUILD_COMPILEWORDS_H

#include "prebuild.h"

/* The path of ckjit-compile: the root's, which has the same version as the build, else the one
 * beside this program; free() it. */
char *find_compile(const struct request *r);
/* The same; NULL: there is none, or another user could have put it there. */
char *compile_program(const struct request *r);
/* Append the words that describe BLOB to PROGRAM, for any output format. Without INPUTS, PROGRAM
 * does not compare the inputs with those of the key. */
void compile_words(struct argv *command, const struct request *r, const struct manifest_blob *blob,
                   const char *program, const char *archs, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                   bool inputs);
/* Report once the variables with a wrong value, which every compile would otherwise report,
 * thousands of times. */
void check_settings(void);
void add_option(struct argv *command, const char *option, char *value);

#endif
