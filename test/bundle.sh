#!/bin/sh
# A library that was built in a home with `keep: bundle` carries what its kernels are compiled from.
# It runs moved, read-only, stripped, for another user, with the build, the work directory and the
# home gone; what it unpacks is verified at each compile. Two builds are the same bytes, without a
# name of the build. A damaged bundle, a full disk, and a compiler of another release are reported.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
need strip objcopy python3
echo keep=bundle >>home/ckjit.conf
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T"

# build DIR: libk.so in DIR, and nothing else of it
build() {
  mkdir "$1" other
  cd "$1" || exit
  echo '#define OTHER 7' >../other/other.hpp
  echo 'template <int N> int value(int x);' >value.hpp
  for i in 1 2; do
    printf '#include "value.hpp"\n#include <other.hpp>\ntemplate <> int value<%s>(int x) { return x + OTHER * %s; }\n' $i $i >"v$i.cpp"
    as_build_in hipcc -x c++ -fPIC -I"$T/other" -c "v$i.cpp" -o "v$i.o"
  done
  printf '#include "value.hpp"\nextern "C" int call(int n, int x) { return n == 1 ? value<1>(x) : value<2>(x); }\n' >api.cpp
  as_build_in hipcc -x c++ -fPIC -c api.cpp -o api.o
  as_build_in hipcc -shared -o libk.so v1.o v2.o api.o
  cd .. || exit
  rm -rf other "$1"/*.o "$1"/*pp "$work"
}
as_build_in() (
  # shellcheck disable=SC1091 # the test writes it
  . "$T/exports"
  "$@" 2>"$T/err" || fail "$*: $(cat "$T/err")"
)
# run DIR N: what call(N, 1) of the library in DIR says, or why it fails
run() {
  "$T/main" "$1/libk.so" "$2" 2>&1 || echo "status $?"
}
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **args) {
  void *h = dlopen(args[1], RTLD_NOW);
  int (*call)(int, int) = h ? (int (*)(int, int))dlsym(h, "call") : 0;
  if (!call) return puts(dlerror()), 2;
  for (int i = 2; i < n; i++) printf("%d\n", call(atoi(args[i]), 1));
}
END
gcc main.c -o main -ldl

build first
build second
cmp first/libk.so second/libk.so || fail "two builds are different bytes"
tr '\001' / <first/libk.so >plain # as it has flags and lists
lacks "names of the build" "$T" plain
rm -rf second

# ---- what it has ----

"$B/bin/ckjit" bundle --list first/libk.so >list
for name in v1.cpp v2.cpp value.hpp '+[0-9]/other.hpp' ck_jit_manifest.json ckjit-prebuild; do
  grep -q "^carried	$name\$" list || fail "not carried: $name: $(cat list)"
done
grep -q '^toolkit	.*hipcc' list || fail "no toolkit: $(cat list)"
lacks "what is carried" '^carried	/' list

# ---- another place, another user, stripped, read-only ----

rm -rf home
mkdir site-packages
mv first site-packages/k
strip --strip-unneeded --remove-section=.comment site-packages/k/libk.so
chmod 555 site-packages/k
is "its first call" 8 "$(run site-packages/k 1)"
is "another process" 15 "$(run site-packages/k 2)"
root=$(echo cache/.bundles/*)
ls "$root/ckjit-compile" "$root/v1.cpp" >/dev/null
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$T"
  mkdir -m 700 theirs
  chown 4321 theirs
  is "another user" 8 "$(CK_JIT_CACHE_DIR=$T/theirs/cache HOME=/nonexistent setpriv --reuid=4321 --regid=4321 --clear-groups "$T/main" "$T/site-packages/k/libk.so" 1)"
fi

# ---- what was unpacked is verified ----

again() {
  rm -f cache/*.so
  run site-packages/k 1
}
echo 'template <int N> int value(int x); #define OTHER 100' >"$root/value.hpp"
rm "$root"/+*/other.hpp
echo damage >>"$root/ckjit-compile"
is "after a change of what was unpacked" 8 "$(again)"
lacks "the changed header" 100 "$root/value.hpp"
ls "$root"/+*/other.hpp >/dev/null

# ---- a damaged bundle ----

# damage OFFSET: a copy of the library, damaged so many bytes after the head of its bundle
damage() {
  rm -rf bad cache
  cp -r site-packages/k bad
  chmod 755 bad
  python3 - "$1" <<'END'
import re, sys
data = bytearray(open("bad/libk.so", "rb").read())
at = re.search(rb"ckjit-bundle 1\n\0[0-9a-f]{32}", data).start() + int(sys.argv[1])
data[at] = data[at] ^ 255 if int(sys.argv[1]) > 47 or int(sys.argv[1]) < 16 else ord("01"[data[at] == ord("0")])
open("bad/libk.so", "wb").write(data)
END
  run bad 1 >out
  has "damage at $1" "$T/bad/libk.so: its bundle, of what its kernels are compiled from, is damaged" out
  has "damage at $1: what to do" "install" out
}
damage 3
damage 20 # a digit of its digest
damage 63 # the size of its program
damage 5000
damage 2000000
rm -rf bad cache
cp -r site-packages/k bad
chmod 755 bad
objcopy --rename-section .ckjit.bundle=.gone bad/libk.so
run bad 1 >out
has "another section" "bad/libk.so: it has no section .ckjit.bundle" out
rm -rf bad

# ---- a full disk ----

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
  mkdir small
  for size in 1000k 2200k; do # for the bundle's program, and for the files that it unpacks
    unshare -m sh -c "mount -t tmpfs -o size=$size none small && CK_JIT_CACHE_DIR=$T/small/c ./main site-packages/k/libk.so 1" >out 2>&1 && fail "a full disk: $(cat out)"
    has "a full disk of $size" "No space left on device" out
    has "a full disk of $size: what to do" "CK_JIT_CACHE_DIR" out
  done
fi

# a job whose files may not become so large gets an error, which ends it by abort(), and no SIGXFSZ
is "a limit for files" 134 "$(set +e; ulimit -f 100; CK_JIT_CACHE_DIR=$T/limited ./main site-packages/k/libk.so 1 >out 2>&1; echo $?)"
has "a limit for files" "File too large" out

# ---- without a compiler ----

is "with one" 8 "$(run site-packages/k 1)"
"$B/bin/ckjit-prebuild" pack --all --arch gfx90a --output k.ckjit --cache-dir cache --manifest "$(echo "$PWD"/cache/.bundles/*/ck_jit_manifest.json)" >out 2>&1 || fail "pack: $(cat out)"
rm -rf cache
export CK_JIT_HIPCC=/nonexistent
run site-packages/k 1 >out
has "no compiler" "the compiler CK_JIT_HIPCC=/nonexistent is not there" out
has "the three ways out" "Three ways out: install ROCm's HIP compiler" out
mkdir -p site-packages/k_gfx90a/packs site-packages/k_gfx90a-1.dist-info
printf '[console_scripts]\nx = y:z\n\n[ckjit.packs]\nk = k_gfx90a.packs\n' >site-packages/k_gfx90a-1.dist-info/entry_points.txt
mv k.ckjit site-packages/k_gfx90a/packs/
is "a pack in a Python package" 8 "$(run site-packages/k 1)"
run site-packages/k 2 >out
has "a kernel that the pack lacks" "in none of 1 pack" out
unset CK_JIT_HIPCC

# ---- another release ----

mkdir bin
version=$(hipcc --version | sed -n 's/HIP version: \([0-9]*\).*/\1/p')
printf '#!/bin/sh\n[ "$1" = --version ] && echo "HIP version: 99.1" && exit\nexec %s "$@"\n' "$(command -v hipcc)" >bin/hipcc
chmod +x bin/hipcc
"$root/ckjit-compile" --help >/dev/null 2>&1 || root=$(echo cache/.bundles/*)
"$root/ckjit-compile" --bundle site-packages/k/libk.so --root "$PWD/$root" --blob-source "$PWD/$root/v1.cpp" --blob-flags '' --kind hip \
  --hipcc "$PWD/bin/hipcc" --cache --output "$PWD/cache/v1.so" >out 2>&1 && fail "another release: $(cat out)"
has "another release" "is hipcc of release 99.1, and libk.so takes release $version" out
