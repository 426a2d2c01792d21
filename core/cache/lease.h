/* lease.h - a lock by exclusive creation, for file systems where the locks of one machine are
 * unknown to the others. lock.h is its only user: there a lease is the second half of a lock.
 *
 * docs/many-machines.md has the rule by which a lease is taken over; test/fleet/explore.py tries
 * all orders of its steps, and names those functions here that it stands for.
 *
 * Thread safety: none. Between processes and machines: everything here may happen at once. Clocks
 * of machines may differ by any amount: nothing here compares times of two of them.
 */
#ifndef CKJIT_LEASE_H
#define CKJIT_LEASE_H

#include "lock.h"

struct lease {
  char *file; /* PATH.N */
  int fd;     /* of it */
  char token[17];
};

/* Does the lock of the file open at FD need a lease, because other machines would not see it? */
bool lease_is_needed(int fd);
/* Take the lease of PATH, as lock_take. LOCK_NONE: HOW->over said so (*WARNED is false), or no
 * lease can be made here, which a message told. *WAITED: another process had it. From then on the
 * content of its file changes about once a second. */
enum lock_state lease_take(struct lease *l, const char *path, const struct lock_wait *how,
                           bool *waited, bool *warned);
/* Has nobody taken it over? True if that cannot be found out. */
bool lease_is_current(const struct lease *l);
/* Give it up, and free L's members. Removes its file unless it was taken over. */
void lease_release(struct lease *l);
/* Remove the files of leases in the directory LOCKS which have not changed for an hour: of nodes
 * that died. */
void lease_sweep(const char *locks);
/* Can two processes exclude each other in DIR by exclusive creation? 0, an errno, or -1: a file was
 * created twice. */
int lease_try(const char *dir);

#endif
