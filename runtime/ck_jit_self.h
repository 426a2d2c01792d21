/* ck_jit_self.h - the file of this library.
 *
 * There are two answers. The name by which it was loaded is cheap and is where its user sees it:
 * perhaps a symbolic link, with ck_jit beside it. The mapped file contains the running code, and
 * the kernel knows its present path (/proc/self/maps), after renames and changes of directory. A
 * file beside the name is used only if the name still leads to the mapped file.
 */
#ifndef CK_JIT_SELF_H
#define CK_JIT_SELF_H

#include "ck_jit_text.h"

#include <sys/stat.h>

/* Append the absolute name by which this library was loaded to T. False if the dynamic linker does
 * not know it. May wait for the dynamic linker's lock. */
CKJIT_LOCAL bool ckjit_add_library(struct ckjit_text *t);

/* Append the path of the file that this code is mapped from to T; ST describes it. False: it has no
 * name any more, or there is no /proc. Reads /proc/self/maps once, which takes a millisecond in a
 * large process: for misses. Thread-safe. */
CKJIT_LOCAL bool ckjit_add_mapped_file(struct ckjit_text *t, struct stat *st);

#endif
