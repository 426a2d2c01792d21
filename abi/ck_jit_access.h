/* ck_jit_access.h - may this process read, write, execute or search a file?
 *
 * access(2) asks for the real user, and all that opens or starts a file goes by the effective one. They differ in set-user-ID programs, whose library's
 * files may be in a directory that their user cannot search, and the other way round.
 *
 * In all other processes it is access(2): its newer form, faccessat2, is refused with EPERM by seccomp filters of containers that are older than
 * it, and glibc takes that for the answer.
 *
 * libc only, no state, thread-safe. errno is the call's.
 */
#ifndef CK_JIT_ACCESS_H
#define CK_JIT_ACCESS_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* MODE is that of access(2): F_OK, or any of R_OK, W_OK and X_OK. */
static inline bool ckjit_may(const char *path, int mode) {
  if (getuid() == geteuid() && getgid() == getegid())
    return access(path, mode) == 0;
  return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

#endif
