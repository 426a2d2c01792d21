#!/bin/sh
# `ckjit bundle` links a library of a build again, with what its kernels are compiled from, and with
# the kernels of a capture compiled; and it makes one file of the ck_jit/ that installed libraries
# share, for each of which they work in another directory. Two versions of a library do not meet. It
# says what it cannot bundle.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T" CK_JIT_BASE="$T/src"
mkdir src
echo 'template <int N> int value(int x);' >src/value.hpp
for n in 1 2 3; do
  printf '#include "value.hpp"\ntemplate <> int value<%s>(int x) { return x + %s; }\n' $n $n >src/v$n.cpp
  as_build hipcc -x c++ -fPIC -Isrc -c src/v$n.cpp -o v$n.o || fail "$(cat err)"
done
printf '#include "value.hpp"\nextern "C" int call(int n) { return n == 1 ? value<1>(10) : value<2>(10); }\n' >one.cpp
printf '#include "value.hpp"\nextern "C" int call(int) { return value<3>(10); }\n' >three.cpp
for u in one three; do g++ -fPIC -Isrc -c $u.cpp; done
as_build hipcc -shared -o libone.so v1.o v2.o one.o || fail "$(cat err)"
as_build hipcc -shared -o libthree.so v3.o three.o || fail "$(cat err)"
# of several libraries of a home, each is found by its file, without a cache that has a record of it
of_file() { CK_JIT_CACHE_DIR=$T/none "$B/bin/ckjit" list "$1" 2>&1 | paste -sd ' '; }
is 'by its file' 'v1 v2' "$(of_file libone.so)"
is 'by its file' v3 "$(of_file libthree.so)"
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **args) {
  void *h = dlopen(args[1], RTLD_NOW);
  int (*call)(int) = h ? (int (*)(int))dlsym(h, "call") : 0;
  if (n < 3 || !call) return puts(dlerror()), 2;
  printf("%d\n", call(atoi(args[2])));
}
END
gcc main.c -o main -ldl

# ---- a library of a build ----

echo v2 >hot
mkdir given
cp libone.so copy.so
status=0
"$B/bin/ckjit" bundle copy.so >out 2>&1 || status=$?
is "a copy" 1 $status
has "a copy" "copy.so: is a copy of $T/libone.so" out
"$B/bin/ckjit" bundle --aot-list hot -o given libone.so >out 2>&1 || fail "bundle: $(cat out)"
"$B/bin/ckjit" bundle --list given/libone.so >list
has "a source" "carried	v1.cpp" list
"$B/bin/ckjit" bundle given/libone.so >out 2>&1 || fail "again: $(cat out)"
has "again" "it has its bundle already" out

# ---- an install tree ----

"$B/bin/ckjit" relink --tmp-dir "$work" --install-dir i >out 2>&1 || fail "relink: $(cat out)"
"$B/bin/ckjit" bundle -o shared i/libone.so i/libthree.so >out 2>&1 || fail "bundle: $(cat out)"
is "files" "ck_jit.bundle libone.so libthree.so" "$(cd shared && echo *)"
"$B/bin/ckjit" bundle -o again i/libthree.so i/libone.so >out 2>&1 || fail "bundle: $(cat out)"
cmp shared/ck_jit.bundle again/ck_jit.bundle || fail "another bundle of the same tree"

# one directory has one bundle: a library beside it that is not named, and libraries of two trees
cp -r i j
echo more >j/ck_jit/more.hpp
refuses() { # WORDS ARGUMENT…
  words=$1 status=0
  shift
  "$B/bin/ckjit" bundle "$@" >out 2>&1 || status=$?
  is "$words" 1 $status
  has "$words" "$words" out
}
refuses "ck_jit.bundle belongs to $T/shared/libone.so as well" -o shared j/libthree.so
refuses "have a ck_jit/ each" -o other i/libone.so j/libthree.so
cmp shared/ck_jit.bundle again/ck_jit.bundle || fail "a bundle that was refused"
"$B/bin/ckjit" bundle -o again j/libthree.so j/libone.so >out 2>&1 || fail "both: $(cat out)"
cmp -s shared/ck_jit.bundle again/ck_jit.bundle && fail "the other tree's is the same"

printf 'int call() { return 0; }\n' | gcc -shared -x c - -o none.so
status=0
"$B/bin/ckjit" bundle none.so >out 2>&1 || status=$?
is "no library of ckjit's" 1 $status
has "no library of ckjit's" "none.so: cannot read it, or it is no library with lazy kernels" out

# ---- elsewhere ----

rm -rf src home i j other v?.o again libone.so libthree.so
mkdir site-packages
mv given shared site-packages/
is "compiled at the link" 12 "$(CK_JIT_ON_MISS=error ./main site-packages/given/libone.so 2)"
is "lazy" 11 "$(./main site-packages/given/libone.so 1)"
is "it was not in the cache before" 1 "$(find cache -name '*.so' | wc -l)"
rm -f cache/*.so
is "one of two that share a bundle" 11 "$(./main site-packages/shared/libone.so 1)"
"$B/bin/ckjit" list --cache-dir cache site-packages/shared/libthree.so >out 2>&1 || fail "list: $(cat out)"
has "list knows it by its file" v3 out
if [ "$(id -u)" = 0 ]; then
  chown 12345 site-packages/shared/ck_jit.bundle
  status=0
  "$B/bin/ckjit" list --cache-dir cache site-packages/shared/libthree.so >out 2>&1 || status=$?
  is "a bundle of another user" 1 $status
  has "a bundle of another user" "ck_jit.bundle is not used: another user could have put it there" out
  chown 0 site-packages/shared/ck_jit.bundle
fi
"$B/bin/ckjit" build --cache-dir cache site-packages/shared/libthree.so v3 >out 2>&1 || fail "build: $(cat out)"
is "the other" 13 "$(CK_JIT_ON_MISS=error ./main site-packages/shared/libthree.so 3)"
is "bundles of two versions" 2 "$(find cache/.bundles -name ckjit-compile | wc -l)"
"$B/bin/ckjit-prebuild" clean --all --cache-dir cache >out 2>&1 || fail "clean: $(cat out)"
is "after clean --all" 0 "$(find cache -name ckjit-compile | wc -l)"
python3 - <<'END'
with open("site-packages/shared/ck_jit.bundle", "r+b") as f:
    f.truncate(100000)
END
./main site-packages/shared/libone.so 2 >out 2>&1 && fail "a bundle that is cut off: $(cat out)"
has "a bundle that is cut off" "site-packages/shared/ck_jit.bundle: its bundle" out
