/* ck_jit_self.h - which file this library is.
 *
 * Two answers. The name by which it was loaded is cheap and says where its user sees it: a
 * symbolic link, perhaps, with ck_jit beside it. The file that is mapped is what runs, and the
 * kernel knows where it is now (/proc/self/maps), whatever was renamed and wherever the process
 * has gone since. What lies beside a name is used only if the name still leads to that file.
 */
#ifndef CK_JIT_SELF_H
#define CK_JIT_SELF_H

#include "ck_jit_text.h"

#include <sys/stat.h>

/* Append the absolute name by which this library was loaded to T. False if the dynamic linker
 * does not know it. May wait for the dynamic linker's lock. */
CKJIT_LOCAL bool ckjit_add_library(struct ckjit_text *t);

/* Append the path of the file that this code is mapped from to T, and describe it by ST. False:
 * it has no name any more, or there is no /proc. Reads /proc/self/maps once, a millisecond in a
 * large process: for misses. Thread-safe. */
CKJIT_LOCAL bool ckjit_add_mapped_file(struct ckjit_text *t, struct stat *st);

#endif
