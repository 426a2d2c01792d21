#!/bin/sh
# A client of a network file system may go by what it keeps of names and attributes: the lock file that it believes to be there is gone on the
# server, so that even an open that would make it says ENOENT, or ESTALE. It is opened again, a few times; then the compile goes on without a
# lock. Another error is an error, with the file's name; and a directory of locks that went away is made again.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shim_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "LD_PRELOAD before a sanitizer"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
# The first $TIMES opens of a lock file fail with $ERROR, in each process; with $GONE the directory of locks is not there at the first.
cat >"$T/late.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int open(const char *path, int flags, ...) {
  static int times;
  va_list ap;
  va_start(ap, flags);
  int mode = va_arg(ap, int);
  va_end(ap);
  const char *lock = flags & O_CREAT ? strstr(path, "/.locks/") : NULL;
  if (lock && getenv("GONE") && !times++) {
    char dir[4096];
    snprintf(dir, sizeof dir, "%.*s/.locks", (int)(lock - path), path);
    if (rmdir(dir))
      abort();
  }
  if (lock && getenv("ERROR") && times < atoi(getenv("TIMES"))) {
    times++;
    return errno = atoi(getenv("ERROR")), -1;
  }
  int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
END
gcc -shared -fPIC -o "$T/late.so" "$T/late.c" -ldl
cd "$T"
echo 5 >k.cu
# compile [NAME=VALUE…]
compile() {
  rm -rf cache
  : >log
  env LD_PRELOAD="$T/late.so" "$@" "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/k.cu" --cache --output "$T/cache/k.so" \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T --sleep=1" >said 2>&1
}
# made WHAT: it was compiled once, and nothing is left
made() {
  is "$1: compiles" 1 "$(grep -c '^start' log)"
  is "$1: entries" 1 "$(find cache -name 'k*.so' | wc -l)"
  is "$1: left" "" "$(find cache -name '.tmp-*' -o -path '*/.locks/*')"
}
ENOENT=2 EIO=5 ESTALE=116
for error in $ENOENT $ESTALE; do
  compile ERROR="$error" TIMES=2 || fail "errno $error twice: $(cat said)"
  made "errno $error twice"
  is "errno $error twice: said" "" "$(cat said)"
  compile ERROR="$error" TIMES=1000 || fail "errno $error for ever: $(cat said)"
  made "errno $error for ever"
  has "errno $error for ever" "$T/cache/.locks/" said
  has "errno $error for ever" "continuing without a lock" said
done
compile GONE=1 || fail "a directory of locks that went: $(cat said)"
made "a directory of locks that went"
is "a directory of locks that went: said" "" "$(cat said)"
compile ERROR="$EIO" TIMES=1 && fail "EIO was taken for a file that is seen late"
has "EIO" "cannot make the lock file $T/cache/.locks/" said
