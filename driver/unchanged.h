/* unchanged.h - is a library in a work directory what a build would make again?
 *
 * Thread safety: for the main thread.
 */
#ifndef CKJIT_DRIVER_UNCHANGED_H
#define CKJIT_DRIVER_UNCHANGED_H

#include "full.h"
#include "library.h"

/* beside a library's state file (docs/formats.md) */
#define LEFT_FILE "ck_jit_left.txt"

/* Is there what an earlier build of API wrote? */
bool unchanged_is_known(const struct full *f, int api);
/* Forget what was written of API, before it is built. */
void unchanged_forget(const struct full *f, int api);
/* Write what F's build of API has read beside the checkout, and what it left. Without a message if that cannot be: the next call builds. */
void unchanged_write(const struct full *f, int api);
/* Why API has to be built; NULL: all that it was built from, and all that its build left, is as it was. CONTENTS and CK: digests of the
 * checkout and of CK_DIR (may be NULL). "": nothing is known of an earlier build. free() it. */
char *unchanged_why_not(const struct full *f, int api, const char *contents, const char *ck);

/* For `quick` in the work directory TMP, before it makes the runtime's object and the library LIB anew: what is to be handed to
 * unchanged_behind_quick(); NULL if what LIB's build has left, or ckjit, or the environment is another than behind the build. free() it. */
char *unchanged_before_quick(const char *tmp, const struct library *lib);
/* LIB and its runtime's object are those that a build would make: the next `full` may keep them, if REST is not NULL and still true. */
void unchanged_behind_quick(const char *tmp, const struct library *lib, const char *rest);

#endif
