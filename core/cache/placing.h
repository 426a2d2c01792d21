/* placing.h - the name that a new entry gets in a cache: the plain one for the first comer, else its own.
 *
 * Used by ckjit-compile for what it made and by ckjit-prebuild for what a pack brings. Thread safety: no shared
 * state. Between processes: any number may place, load and remove at once.
 */
#ifndef CKJIT_PLACING_H
#define CKJIT_PLACING_H

#include "core/base/base.h"
#include "abi/ck_jit_entry.h"

/* Rename FILE, a whole entry of STEM with build id ID, which is on DIR's file system and written through, into the
 * cache DIR. NAME becomes the base name that it got, or could not get. 0 or errno; ENAMETOOLONG: STEM is. */
int placing_rename(char name[NAME_MAX + 1], const char *dir, const char *stem,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], const char *file);
/* Write the names in DIR through to the disk. False with errno. */
bool placing_sync_dir(const char *dir);

#endif
