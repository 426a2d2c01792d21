#!/bin/sh
# A library with a bundle on a machine that is not the build's: the names of the build's prefix were replaced in the library, a header of the
# system is missing there (which, of which package), two versions of one package have the same file names (each compiles its own), one is
# upgraded under a running program.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to hide headers of the system"
unshare -m true 2>/dev/null || skip "no mounts can be made here"
[ -e /usr/include/linux/limits.h ] || skip "needs linux-libc-dev"
echo keep=bundle >>home/ckjit.conf
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T"
as_build_in() (
  # shellcheck disable=SC1091 # the test writes it
  . "$T/exports"
  "$@" 2>"$T/err" || fail "$*: $(cat "$T/err")"
)
prefix=/nonexistent/prefix_placehold_placehold
# build NUMBER: site-NUMBER/k/libk.so, whose call(1, x) is x + NUMBER
build() {
  mkdir -p src "site-$1/k"
  echo "enum { VERSION = $1 };" >src/version.hpp
  echo 'template <int N> int value(int x);' >src/value.hpp
  printf '#include <linux/limits.h>\n#include "value.hpp"\n#include "version.hpp"\ntemplate <> int value<1>(int x) { return x + VERSION + (PATH_MAX < 0); }\n' >src/v1.cpp
  printf '#include "value.hpp"\nextern "C" int call(int n, int x) { return n == 1 ? value<1>(x) : 0; }\n' >src/api.cpp
  cd src || exit
  for u in v1 api; do as_build_in hipcc -x c++ -fPIC -I"$prefix/include" -c $u.cpp -o $u.o; done
  as_build_in hipcc -shared -Wl,-rpath,"$prefix/lib" -o "../site-$1/k/libk.so" v1.o api.o
  cd .. || exit
  rm -rf src "$work"
}
cat >main.c <<'END2'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **args) {
  void *h = dlopen(args[1], RTLD_NOW);
  int (*call)(int, int) = h ? (int (*)(int, int))dlsym(h, "call") : 0;
  if (!call) return puts(dlerror()), 2;
  if (n > 2) system(args[2]);
  printf("%d\n", call(1, 40));
}
END2
gcc main.c -o main -ldl
build 1
build 2
rm -rf home

# ---- the names of the build's prefix are replaced, as conda does when a package is installed ----

conda() {
  python3 - "$@" <<'END2'
import re, sys
file, old, new = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
data = open(file, "rb").read()
moved = re.sub(re.escape(old) + rb"[^\0]*\0", lambda m: m.group().replace(old, new).ljust(len(m.group()), b"\0"), data)
open(file, "wb").write(moved)
print(data.count(old))
END2
}
cp -r site-1 site-conda
conda site-conda/k/libk.so "$prefix" /nonexistent/k >replaced
is "in another prefix" 41 "$(./main site-conda/k/libk.so 2>&1)"
is "names of the prefix: that of its rpath alone" 1 "$(cat replaced)"
conda site-conda/k/libk.so /usr/include/linux/limits.h /nonexistent/limits.h >replaced
is "names of headers in its lists" 0 "$(cat replaced)"
rm -rf cache

# ---- a header of the system is missing ----

unshare -m sh -c 'mount -t tmpfs none /usr/include/linux && ./main site-1/k/libk.so' >out 2>&1 && fail "without its header: $(cat out)"
has "which header" "note: this machine lacks /usr/include/linux/limits.h" out
has "of which package" "linux-libc-dev" out

# ---- two versions ----

is "the first version" 41 "$(./main site-1/k/libk.so 2>&1)"
is "the second" 42 "$(./main site-2/k/libk.so 2>&1)"
is "the first again" 41 "$(CK_JIT_ON_MISS=error ./main site-1/k/libk.so 2>&1)"
is "the second again" 42 "$(CK_JIT_ON_MISS=error ./main site-2/k/libk.so 2>&1)"
is "directories of sources" 2 "$(find cache/.bundles -name version.hpp | wc -l)"

# ---- an upgrade under a running program ----

rm -rf cache
./main site-1/k/libk.so 'mv -f site-2/k/libk.so site-1/k/' >out 2>&1 && fail "upgraded: $(cat out)"
has "upgraded" "site-1/k/libk.so was replaced since it was loaded" out
is "started again" 42 "$(./main site-1/k/libk.so 2>&1)"
