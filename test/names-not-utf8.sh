#!/bin/bash
# A library whose files have names that the files of a link cannot hold, not UTF-8 or with {jit} in them, is built as without ckjit: the
# link does not fail.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
cd "$T"
need hipcc
need_hipcc
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a
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
"$B/bin/ckjit" explain source/h >out || fail "explain: $(cat out)"
has 'explain' '[name]' out
