/* ck_jit_make.h - makes directories with exactly the wanted permissions, whatever the process and
 * the parent directory would change.
 *
 * Three things change the mode that mkdir(2) gets: the job's umask, which may remove the owner's
 * own bits (a job with umask 0177 makes directories that nobody can enter); a default ACL of the
 * parent, which replaces the umask and names further users; and the setgid bit of the parent, which
 * is harmless. This is one rule for the runtime, which cannot change its host's umask, and for the
 * programs. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_MAKE_H
#define CK_JIT_MAKE_H

#include "ck_jit_trust.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Give the owner of PATH, a directory of the effective user's, all permissions that the umask
 * removed. */
static inline bool ckjit_make_usable(const char *path) {
  struct stat st;
  if (lstat(path, &st))
    return false;
  if (!S_ISDIR(st.st_mode) || (st.st_mode & 0700) == 0700 || !ckjit_is_own(&st))
    return true;
  return chmod(path, (st.st_mode & 07777) | 0700) == 0;
}

/* Make the directory PATH, which the effective user can always enter and write to. OWN: with mode
 * 0700 and without an ACL; else with mode 0777 less the umask, or with the ACL of its parent. False
 * with errno, EEXIST included. */
static inline bool ckjit_make_dir(const char *path, bool own) {
  if (mkdir(path, own ? 0700 : 0777))
    return false;
  if (own) { /* usually no ACL, or a file system without ACLs */
    int saved = errno;
    removexattr(path, "system.posix_acl_default");
    removexattr(path, "system.posix_acl_access");
    errno = saved;
  }
  return ckjit_make_usable(path);
}

/* Make PATH usable if it is a directory of the effective user's that nobody can enter: a job with
 * an odd umask left it, or is making it at this moment. A directory that was closed to writing on
 * purpose (mode 0500) is unchanged. */
static inline void ckjit_make_enterable(const char *path) {
  struct stat st;
  if (lstat(path, &st) == 0 && (st.st_mode & 0111) == 0 && (st.st_mode & 0600) != 0)
    ckjit_make_usable(path);
}

#endif
