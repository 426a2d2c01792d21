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
#include "core/base/argv.h"

struct lease {
  char *file; /* PATH.N */
  int fd;     /* of it */
  char token[17];
};

/* Take the lease of PATH, as lock_take. LOCK_NONE: HOW->over said so (*WARNED is false), or no
 * lease can be made here, which a message told. *WAITED: another process had it. From then on the
 * content of its file changes about once a second. */
enum lock_state lease_take(struct lease *l, const char *path, const struct lock_wait *how,
                           bool *waited, bool *warned);
/* Has nobody taken it over? True if that cannot be found out. */
bool lease_is_current(const struct lease *l);
/* Give it up, and free L's members. Removes its file unless it was taken over. */
void lease_release(struct lease *l);
/* What others see of a lease that a process may have. */
enum lease_life {
  LEASE_NONE,   /* there is no lease of that name, or it was given up while it was watched */
  LEASE_LIVES,  /* the process has it, and shows life */
  LEASE_SILENT, /* the process has it, and has shown no life for as long as was watched */
  LEASE_OTHERS, /* another process has it, or has had it since */
};
struct lease_watch {
  char *path; /* as of lease_take; the caller's, who frees it */
  long pid;   /* the process, in process space SPACE (owned.h); 0: whichever has it */
  char space[9];
  enum lease_life life; /* the answer */
};
/* Watch N leases at once, each until its holder shows life, at most for SECONDS. Only reads. */
void lease_watch(struct lease_watch *list, size_t n, double seconds);
/* Append the paths, as of lease_take, of all leases in the directory LOCKS. */
void lease_list(const char *locks, struct argv *paths);
/* Remove the files of leases in the directory LOCKS which have not changed for an hour: of nodes
 * that died. */
void lease_sweep(const char *locks);
/* Can two processes exclude each other in DIR by exclusive creation? 0, an errno, or -1: a file was
 * created twice. */
int lease_try(const char *dir);

#endif
