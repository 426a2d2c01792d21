#!/bin/bash
# A library whose files have names that the files of a link cannot hold, not UTF-8 or with {jit} in them, is built as without ckjit: the
# link does not fail.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
cd "$T"
need hipcc
need_hipcc
export CK_JIT_UNITS=build CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a
build() { # HOME SOURCE: in the current directory
  cat >k.h <<'CC'
template <int N> struct traits {};
template <class T> float kernel_(float x);
CC
  cat >"$2" <<'CC'
#include "k.h"
using trait_0 = traits<1>;
template <> float kernel_<trait_0>(float x) { return x + 1; }
CC
  cat >main.cpp <<'CC'
#include "k.h"
int main() { return static_cast<int>(kernel_<traits<1>>(40)); }
CC
  "$B/bin/ckjit-build" home --dir "$1" >"$T/out" 2>&1 || fail "$1: $(cat "$T/out")"
  "$1/bin/hipcc" -x c++ -c "$2" -o k.o 2>"$T/err" || fail "$PWD/$2: $(cat "$T/err")"
  "$1/bin/hipcc" -x c++ -c main.cpp -o main.o 2>"$T/err" || fail "$PWD/main.cpp: $(cat "$T/err")"
  "$1/bin/hipcc" k.o main.o -o program 2>"$T/err" || fail "$PWD: the link: $(cat "$T/err")"
  status=0
  ./program || status=$?
  is "$PWD: the program" 41 "$status"
}
latin1=$'caf\xe9'
mkdir "$latin1" source home '{jit}' plain
(cd plain && build "$PWD/h" k.cu)
[ -s plain/h/work/program/ck_jit_manifest.json ] || fail "nothing is lazy where all names are UTF-8"
(cd "$latin1" && build "$PWD/h" k.cu)
(cd source && build "$PWD/h" "$latin1.cu")
(cd home && build "$PWD/$latin1" k.cu)
(cd '{jit}' && build "$PWD/h" k.cu)

# Objects of a directory with a name in UTF-8, linked in one, or to a file, without: the library is stock's, and so is that of a unit.
# Beside it is one of the same name that stays as it is.
stock() { # DIRECTORY OUTPUT OBJECT...
  dir=$1 out=$2
  shift 2
  (cd "$dir" && "$T/plain/h/bin/hipcc" "$@" -o "$out") 2>err || fail "$dir/$out: $(cat err)"
  has "$dir/$out" 'it is built without ckjit, with no kernel lazy' err
  status=0
  "$dir/$out" || status=$?
  is "$dir/$out" 41 "$status"
}
cat >plain/u.hip <<'CC'
#include <hip/hip_runtime.h>
__global__ void add(float *x) { *x += 1; }
void launch(float *x) { add<<<1, 1>>>(x); }
CC
"$B/bin/ckjit-build" home --units --dir plain/h >out 2>&1 || fail "$(cat out)"
plain/h/bin/hipcc --offload-arch=gfx90a -c plain/u.hip -o plain/u.o 2>err || fail "u.hip: $(cat err)"
grep -q '"kind":"unit"' plain/h/work/manifest.json.ndjson || fail 'the unit is not lazy'
mkdir "$latin1/other" '{jit}/other'
before=$(cksum plain/h/work/program/*.json)
for dir in "$latin1/other" '{jit}/other'; do
  stock "$dir" program ../../plain/k.o ../../plain/main.o
  stock "$dir" units ../../plain/u.o ../../plain/k.o ../../plain/main.o
done
stock plain "$latin1" k.o u.o main.o
is 'the files of the library in plain' "$before" "$(cksum plain/h/work/program/*.json)"
(cd plain && CK_JIT_CACHE_DIR="$T/$latin1.cache" h/bin/hipcc k.o main.o -o lazy) 2>err || fail "a variable: $(cat err)"
lacks 'a variable that is not UTF-8' 'without ckjit' err

"$B/bin/ckjit" explain source/h >out || fail "explain: $(cat out)"
has 'explain' '[name]' out
