/* sharedlocks.h - does every process that can see a file see its flock?
 *
 * On a file system of a network other machines may not, nor other mounts of it on this machine.
 * Then leases stand in for locks (lease.h), and a lock that can be taken says nothing about other
 * processes (owned.c). Thread-safe.
 */
#ifndef CKJIT_SHARED_LOCKS_H
#define CKJIT_SHARED_LOCKS_H

#include "core/base/base.h"

/* Do all processes see a lock of the file open at FD? */
bool locks_are_shared(int fd);

#endif
