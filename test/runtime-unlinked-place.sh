#!/bin/sh
# Where the system has no memfd, an unlinked file is one on a disk whose name is gone; a directory that must not hold code (noexec)
# is passed over, and where there is no place at all the call says so, before it compiles.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
many lib 4
export CK_JIT_DISABLE_FILE_CACHING=1 TMPDIR="$T/tmp"
mkdir "$TMPDIR"
# A memfd_create that fails, O_TMPFILE that is not known, and directories that must not hold code, as each variable says.
cat >"$T/lacks.c" <<'END_'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
long syscall(long number, ...) {
  if (number == SYS_memfd_create && getenv("NO_MEMFD"))
    return errno = ENOSYS, -1;
  va_list ap;
  va_start(ap, number);
  long a = va_arg(ap, long), b = va_arg(ap, long), c = va_arg(ap, long), d = va_arg(ap, long), e = va_arg(ap, long),
       f = va_arg(ap, long);
  va_end(ap);
  long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, a, b, c, d, e, f);
}
int open(const char *path, int flags, ...) {
  va_list ap;
  va_start(ap, flags);
  int mode = va_arg(ap, int);
  va_end(ap);
  int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_TMPFILE"))
    return errno = EOPNOTSUPP, -1;
  return next(path, flags, mode);
}
void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset) {
  void *(*next)(void *, size_t, int, int, int, off_t) =
      (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if ((prot & PROT_EXEC) && fd >= 0 && getenv("NO_EXEC"))
    return errno = EPERM, MAP_FAILED;
  return next(at, n, prot, flags, fd, offset);
}
END_
gcc -shared -fPIC -o "$T/lacks.so" "$T/lacks.c" -ldl
# mapped: where the code of k0 and k1 was mapped from, as /proc/PID/maps shows it
mapped() {
  env LD_PRELOAD="$T/lacks.so" "$@" "$T/hostile" "$T/lib/libkernels.so" value 0 5 2>&1
}
[ -z "${SANITIZER-}" ] || skip "LD_PRELOAD before a sanitizer"
is "memfd" 5 "$(mapped)"
is "O_TMPFILE" 5 "$(mapped NO_MEMFD=1)"
is "a name that is removed" 5 "$(mapped NO_MEMFD=1 NO_TMPFILE=1)"
is "compiles" 3 "$(started lib)"
mapped NO_EXEC=1 >"$T/out" && fail "nothing can be mapped"
has "no place" "k0: there is no place for an unlinked file that code can be loaded from, neither in memory nor in TMPDIR" "$T/out"
has "no place" "Operation not permitted" "$T/out"
is "no compile" 3 "$(started lib)"
is "left" "" "$(find "$TMPDIR" -mindepth 1)"
find /dev/shm /tmp /var/tmp -ignore_readdir_race -maxdepth 1 -user "$(id -un)" -name 'ckjit-??????' ! -type d >"$T/left"
is "left elsewhere" "" "$(cat "$T/left")"

# TMPDIR is tried before the others: a real file system that must not hold code
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o noexec none "$TMPDIR" 2>/dev/null; then
  trap 'umount "$TMPDIR"; rm -rf "$T"' EXIT
  is "noexec" 5 "$(mapped NO_MEMFD=1)"
fi
