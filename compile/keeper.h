/* keeper.h - the process that tidies up if the one that does the work is killed. */
#ifndef CKJIT_COMPILE_KEEPER_H
#define CKJIT_COMPILE_KEEPER_H

#include <stdbool.h>

/* From here on we are the child of a process that only tidies up if we are killed. With FOR_PARENT,
 * what we make is of use to our parent alone: if that dies, we stop; and the keeper is not in its
 * process group, so that it survives if that is killed. The keeper, which has nothing else to do,
 * calls MEANWHILE (may be NULL) with DATA, if IF_NEEDED not before keeper_needed is called, and not
 * without. */
void keeper_start(bool for_parent, void (*meanwhile)(const void *data), const void *data, bool if_needed);
/* It is needed. */
void keeper_needed(void);
/* The directory that the keeper then removes; "": none. PATH is copied. */
void keeper_removes(const char *path);

#endif
