/* unchanged.h - would a build make the same library that is in a work directory?
 *
 * Thread safety: for the main thread.
 */
#ifndef CKJIT_DRIVER_UNCHANGED_H
#define CKJIT_DRIVER_UNCHANGED_H

#include "full.h"
#include "libraries.h"

/* Beside a library's state file (docs/formats.md). */
#define LEFT_FILE "ck_jit_left.txt"

/* Does the file of an earlier build of API exist? */
bool unchanged_is_known(const struct full *f, int api);
/* Remove the file of API, before it is built. */
void unchanged_forget(const struct full *f, int api);
/* Write the inputs of F's build of API beside the checkout, and its results. Reports no failure:
 * then the next call builds. */
void unchanged_write(const struct full *f, int api);
/* Why API has to be built; NULL: all inputs and results of its build are unchanged. CONTENTS and
 * CK: digests of the checkout and of CK_DIR (may be NULL). "": nothing is known of an earlier
 * build. free() it. */
char *unchanged_why_not(const struct full *f, int api, const char *contents, const char *ck);

/* For `quick` in the work directory TMP, before it makes the runtime's object and the library LIB
 * anew. Returns the text for unchanged_behind_quick(); NULL if the results of LIB's build, ckjit,
 * or the environment have changed since the build. free() it. */
char *unchanged_before_quick(const char *tmp, const struct library *lib);
/* LIB and its runtime's object are those that a build would make: the next `full` may keep them, if
 * REST is not NULL and still true. */
void unchanged_behind_quick(const char *tmp, const struct library *lib, const char *rest);

#endif
