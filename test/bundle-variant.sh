#!/bin/sh
# A library with a bundle on a machine whose system headers are not the build's, so its kernels have
# build ids of that machine (variants): `list`, `ready` and `build` say what a job there finds, `pack`
# says why it takes none, and elsewhere the kernels are absent. What `build` has compiled there, a call
# finds.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to change a header of the system"
unshare -m true 2>/dev/null || skip "no mounts can be made here"
[ -e /usr/include/linux/limits.h ] || skip "needs linux-libc-dev"
echo keep=bundle >>home/ckjit.conf
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T"
mkdir src
cd src || exit
echo 'template <int N> int value(int x);' >value.hpp
for n in 1 2; do
  printf '#include <linux/limits.h>\n#include "value.hpp"\ntemplate <> int value<%s>(int x) { return x + PATH_MAX; }\n' $n >v$n.cpp
done
printf '#include "value.hpp"\nextern "C" int call(int n) { return n == 1 ? value<1>(1) : value<2>(1); }\n' >api.cpp
for u in v1 v2 api; do as_build hipcc -x c++ -fPIC -c $u.cpp -o $u.o || fail "$u: $(cat "$T/err")"; done
as_build hipcc -shared -o ../libk.so v1.o v2.o api.o || fail "$(cat "$T/err")"
cd .. || exit
rm -rf src home
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **args) {
  void *h = dlopen("./libk.so", RTLD_NOW);
  int (*call)(int) = h ? (int (*)(int))dlsym(h, "call") : 0;
  if (!call || n < 2) return puts(dlerror()), 2;
  printf("%d\n", call(atoi(args[1])));
}
END
gcc main.c -o main -ldl
sed 's/4096/999/' /usr/include/linux/limits.h >limits.h
away() {
  unshare -m sh -c 'mount --bind limits.h /usr/include/linux/limits.h && exec "$@"' - "$@"
}
ckjit=$B/bin/ckjit
echo v1 >one
printf "v1\nv2\n" >both

is "the call" 1000 "$(away ./main 1 2>&1)"
away "$ckjit" list libk.so v1 v2 >out 2>&1 || fail "list: $(cat out)"
is "list" "v1	known	cached v2	known	absent" "$(tr '\n' ' ' <out | sed 's/ $//')"
away "$ckjit" list --json --all libk.so >out 2>&1 || fail "list --json: $(cat out)"
is "list --json" 1 "$(grep -c '"cached"\|"cached": true' out)"
away "$ckjit" ready --blob-list one libk.so >out 2>&1 || fail "ready: $(cat out)"
has "ready" "ready: 1 entry is wanted, and nothing will be compiled" out
status=0
away "$ckjit" ready --blob-list both libk.so >out 2>&1 || status=$?
is "ready, of both" 3 $status
has "ready, of both" "2 entries are wanted, 1 will be compiled, 0 not known" out
away "$ckjit" build libk.so v1 >out 2>&1 || fail "build: $(cat out)"
has "build" "0 compiled, 1 in the cache already, 0 failed" out
status=0
away "$ckjit" pack --output k.ckjit libk.so v1 >out 2>&1 || status=$?
is "pack" 1 $status
has "pack" "v1: the cache $T/cache has no entry of it that can be packed: it is only made by another compiler or with other headers" out
status=0
away "$ckjit" pack --output k.ckjit libk.so v2 >out 2>&1 || status=$?
has "pack of what is not there" "that can be packed: it is not there" out

# on the build's own machine they are another compiler's
"$ckjit" list libk.so v1 >out 2>&1 || fail "list: $(cat out)"
is "list here" "v1	known	absent" "$(cat out)"
status=0
"$ckjit" ready --blob-list one libk.so >out 2>&1 || status=$?
is "ready here" 3 $status

away "$ckjit" build libk.so v2 >out 2>&1 || fail "build: $(cat out)"
has "build" "1 compiled, 0 in the cache already, 0 failed" out
is "what build has compiled" 1000 "$(CK_JIT_VERBOSE=1 away ./main 2 2>out)"
lacks "what build has compiled" "compiled in" out
is "here" 4097 "$(./main 1 2>&1)"
