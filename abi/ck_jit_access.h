/* ck_jit_access.h - may this process read, write, execute or search a file?
 *
 * access(2) checks the real user, whereas opening or starting a file uses the effective one. They
 * differ in set-user-ID programs: the library's files may be in a directory that the user cannot
 * search, or the other way round.
 *
 * All other processes use access(2). Its newer form, faccessat2, is refused with EPERM by older
 * seccomp filters of containers, and glibc passes that on as the answer.
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
