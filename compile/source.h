/* source.h - a blob, or an object that blobs are linked of, from its source.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_SOURCE_H
#define CKJIT_COMPILE_SOURCE_H

#include "task.h"

/* Makes OUTPUT of T (a shared object; for a fragment its object) in TEMPORARY: through the
 * launcher, else by the passes side by side, else by the plain command, whose output goes to
 * LOG. */
bool source_make(const struct compile_task *t, const char *temporary, const char *output, const char *log,
                 char **err);

#endif
