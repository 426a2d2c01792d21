/* fetch.h - entries that others have made, in places that others can write to: copied into the
 * cache if one of CK_JIT_TRUST_KEYS has signed them. The job itself never looks there. */
#ifndef CKJIT_COMPILE_FETCH_H
#define CKJIT_COMPILE_FETCH_H

#include "task.h"

/* Get T's entry into its cache. False: it was not found, or not believed, which a message tells. */
bool fetch_entry(struct compile_task *t);

#endif
