/* ck_jit_network.h - is a file on a file system that other machines share?
 *
 * There a file can vanish under a mapping, and the next access to it raises SIGBUS; names are
 * cached, missing ones too; and locks may be unknown to other machines. So entries are copied into
 * memory before they are loaded (ck_jit_unlinked.h), names that were missing are looked for again
 * (core/cache/fresh.h), and leases stand in for locks that other machines do not see
 * (core/cache/lease.h).
 *
 * CK_JIT_NETWORK overrides the answer: 1 for file systems that hide it (an overlay of NFS, a block
 * device that several machines mount), 0 for one that no other machine writes to.
 *
 * libc only, no allocation, no state, as thread-safe as getenv. errno is kept.
 */
#ifndef CK_JIT_NETWORK_H
#define CK_JIT_NETWORK_H

#include "ck_jit_protocol.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/vfs.h>

#define CKJIT_NETWORK "CK_JIT_NETWORK"

/* Are file systems of TYPE, of statfs(2), shared by machines? Sources: linux/magic.h, and those of
 * Lustre, GPFS, BeeGFS and PanFS. FUSE is counted, because most of its file systems are. */
static inline bool ckjit_network_type(unsigned long type) {
  static const unsigned types[] = {
      0x6969,     /* NFS */
      0x0bd00bd0, /* Lustre */
      0x47504653, /* GPFS */
      0x19830326, /* BeeGFS */
      0xff534d42, /* CIFS */
      0xfe534d42, /* SMB 2 and 3 */
      0x517b,     /* SMB 1 */
      0x65735546, /* FUSE, virtiofs */
      0x01021997, /* 9p */
      0x00c36400, /* Ceph */
      0x5346414f, /* AFS */
      0x6b414653, /* kAFS */
      0x7461636f, /* OCFS2 */
      0x01161970, /* GFS2 */
      0xaad7aaea, /* PanFS */
      0x20030528, /* OrangeFS */
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if ((type & 0xffffffff) == types[i])
      return true;
  return false;
}

/* What CK_JIT_NETWORK says: 0 or 1; -1: nothing. */
static inline int ckjit_network_set(void) {
  const char *set = secure_getenv(CKJIT_NETWORK);
  return !set || !*set ? -1 : ckjit_is_on(set);
}

/* Is the file open at FD on such a file system? */
static inline bool ckjit_on_network(int fd) {
  struct statfs s;
  int set = ckjit_network_set(), saved = errno;
  bool is = set < 0 ? fstatfs(fd, &s) == 0 && ckjit_network_type((unsigned long)s.f_type) : set;
  errno = saved;
  return is;
}

#endif
