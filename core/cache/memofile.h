/* memofile.h - facts about compilers that are expensive to find out, kept in a file: "ckjit-memo
 * 2", a digest of the memo's name and text, and the text.
 *
 * A file that is empty, cut off, changed or copied from another name is ignored. The caller decides
 * whether its owner is trusted. Thread-safe.
 */
#ifndef CKJIT_MEMOFILE_H
#define CKJIT_MEMOFILE_H

#include "core/base/base.h"

/* The text that FILE keeps under NAME; free() it. NULL: none. */
char *memofile_read(const char *file, const char *name);
/* Write it for the user alone. False with errno. */
bool memofile_write(const char *file, const char *name, const char *text);

#endif
