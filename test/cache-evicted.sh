#!/bin/sh
# An entry that is evicted while a compile finds it there is not made anew of inputs that nobody has compared with the key: what was in the
# cache when it was looked for needs no compile, and any other compile has read its inputs.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shim_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "LD_PRELOAD before a sanitizer"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
# Before open number $EVICT of the entry it is removed.
cat >"$T/evict.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int open(const char *path, int flags, ...) {
  static int times;
  va_list ap;
  va_start(ap, flags);
  int mode = va_arg(ap, int);
  va_end(ap);
  size_t n = strlen(path);
  if (getenv("EVICT") && n > 5 && strcmp(path + n - 5, "/k.so") == 0 && ++times == atoi(getenv("EVICT")))
    unlink(path);
  int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
END
gcc -shared -fPIC -o "$T/evict.so" "$T/evict.c" -ldl
cd "$T"
: >log
# compile [OPTION…]
compile() {
  LD_PRELOAD=$T/evict.so "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/k.cu" --cache --output "$T/cache/k.so" \
    --build-id 010203040506070809101112131415161718192021222324 --verbose \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T --sleep=1" "$@" >said 2>&1
}
# The key's own inputs are some others by now.
none=00000000000000000000000000000000
printf 'ckjit-inputs 2\nheaders %s\ncompiler %s\t%s\ncomment \n' $none $none "$T/fast" >inputs
echo 5 >k.cu
compile || fail "$(cat said)"
echo 6 >k.cu
compile --inputs inputs || fail "it is there: $(cat said)"
has "it is there" "k: it is in the cache" said
lacks "it is the library's own" "another build id" said
for open in 1 2 3; do
  [ -e cache/k.so ] || cp kept.so cache/k.so
  cp cache/k.so kept.so
  if EVICT=$open compile --inputs inputs; then
    has "evicted at open $open" "k: it is in the cache" said
  else
    has "evicted at open $open" "k.cu was changed since the library was linked" said
  fi
  is "evicted at open $open: compiles" 1 "$(grep -c '^start' log)"
done
rm -f cache/k.so
compile --inputs inputs && fail "a changed source was compiled"
has "it is not there" "k.cu was changed since the library was linked" said
is "compiles" 1 "$(grep -c '^start' log)"
