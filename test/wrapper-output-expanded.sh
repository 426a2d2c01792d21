#!/bin/bash
# hipcc has a shell expand the word behind -o: -o 'x$V.o' makes xy.o if V is y. A compile and a link with such a word make the files that
# they make without ckjit. What ckjit compiles later is called after the source: one of such a name is the real compiler's as well.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
cd "$T"
need hipcc
need_hipcc
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a V=y
cat >k.h <<'CC'
template <int N> struct traits {};
template <class T> float kernel_(float x);
CC
cat >k.cpp <<'CC'
#include "k.h"
using trait_0 = traits<1>;
template <> float kernel_<trait_0>(float x) { return x + 1; }
CC
cat >main.cpp <<'CC'
#include "k.h"
int main() { return static_cast<int>(kernel_<traits<1>>(40)); }
CC
"$B/bin/ckjit-build" home --dir h >out 2>&1 || fail "$(cat out)"
# shellcheck disable=SC2016 # the compiler expands it
cp k.cpp 'k$V.cpp'
# shellcheck disable=SC2016
words=('k$V.o' 'k`echo 1`.o' 'k\\1.o' 'k"1".o')
# made COMPILER...: what it makes, each with its size but for the objects of stubs
made() {
  mkdir "$1"
  for word in "${words[@]}"; do
    "$2" -x c++ -c k.cpp -o "$1/$word" 2>err || fail "$1 $word: $(cat err)"
  done
  "$2" -x c++ -c k.cpp -o "$1/plain.o" 2>err || fail "$1: $(cat err)"
  # shellcheck disable=SC2016
  "$2" -x c++ -c 'k$V.cpp' -o "$1/odd.o" 2>err || fail "$1: $(cat err)"
  "$2" -x c++ -c main.cpp -o "$1/main.o" 2>err || fail "$1: $(cat err)"
  # shellcheck disable=SC2016
  "$2" "$1/plain.o" "$1/main.o" -o "$1/program\$V" 2>err || fail "$1: the link: $(cat err)"
  "$2" "$1/odd.o" "$1/main.o" -o "$1/odd" 2>err.odd || fail "$1: the link of the odd one: $(cat err.odd)"
  status=0
  "$1/programy" || status=$?
  is "$1: the program" 41 "$status"
  status=0
  "$1/odd" || status=$?
  is "$1: the odd one" 41 "$status"
}
made stock hipcc
made ours h/bin/hipcc
is 'the files' "$(ls stock)" "$(ls ours)"
has 'the link' 'it is built without ckjit, with no kernel lazy: hipcc has a shell expand the name of its output' err
is 'what is recorded' "$(printf 'host\nhost\nhost\nhost\nblob\nhost\nhost\nlink\nlink')" "$(sed -n 's/^{"ckjit":1,"kind":"\([a-z]*\)".*/\1/p' h/work/manifest.json.ndjson)"
