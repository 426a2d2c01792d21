/* reads.h - is what a compile read in its list of inputs? Errors as in task.h. */
#ifndef CKJIT_COMPILE_READS_H
#define CKJIT_COMPILE_READS_H

#include "task.h"

/* Compares the files that T's compile read (T->seen->reads) with its list. Files that are not in
 * the list go to T->seen->files. Returns false if a file of the library's tree was found in place
 * of a listed one. */
bool reads_compare(const struct compile_task *t, char **err);

#endif
