/* ck_jit_threadlocal.h - where thread-local variables are, for every thread.
 *
 * A thread has a block of memory for each loaded object with such variables, the object's module,
 * and a variable has the same offset in all blocks of its module (ELF Handling For Thread-Local
 * Storage, 3.4). Code finds it by a pair of these two words in a table of the object that it is in.
 * So a pair that is written anew leads the code to another object's variable.
 *
 * libc only, thread-safe.
 */
#ifndef CK_JIT_THREADLOCAL_H
#define CK_JIT_THREADLOCAL_H

#include "ck_jit_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* As the code reads it. */
struct ckjit_variable_place {
  size_t module, offset;
};

struct link_map;
/* Find out which variable is at ADDRESS in the calling thread: one of the object OF (NULL: of any).
 * False: none is. */
CKJIT_LOCAL bool ckjit_variable_place(const void *address, const struct link_map *of,
                                      struct ckjit_variable_place *place);

#endif
