/* placing.h - the name that a new entry gets in a cache: the plain one for the first comer, else
 * its keyed name.
 *
 * ckjit-compile uses it for its results, ckjit-prebuild for the entries of a pack. Thread safety:
 * no shared state. Between processes: any number may place, load and remove at once.
 */
#ifndef CKJIT_PLACING_H
#define CKJIT_PLACING_H

#include "core/base/base.h"
#include "abi/ck_jit_entry.h"

/* Rename FILE, a whole entry of STEM with build id ID, which is on DIR's file system and synced,
 * into the cache DIR. NAME becomes the base name that it got, or could not get. 0 or errno;
 * ENAMETOOLONG: STEM is too long. */
int placing_rename(char name[NAME_MAX + 1], const char *dir, const char *stem,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], const char *file);
/* Sync the names in DIR to the disk. False with errno. */
bool placing_sync_dir(const char *dir);

#endif
