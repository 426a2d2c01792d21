#!/bin/bash
# hipcc has a shell expand the word behind -o (wrapper-output-expanded). A cache directory with $, a backquote, a quote or a backslash in its name
# has its kernels there, by a compile in passes and by the plain command.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
cd "$T"
need hipcc
need_hipcc
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a V=y
cat >k.h <<'CC'
template <int N> struct traits {};
template <class T> float kernel_(float x);
CC
cat >k.hip <<'CC'
#include "k.h"
#include <hip/hip_runtime.h>
using trait_0 = traits<1>;
template <int N> __global__ void add(float *p) { *p += N; }
template <> float kernel_<trait_0>(float x) {
  if (x < 0) add<1><<<1, 1>>>(nullptr);
  return x + 1;
}
CC
cat >main.cpp <<'CC'
#include "k.h"
int main() { return static_cast<int>(kernel_<traits<1>>(40)); }
CC
"$B/bin/ckjit-build" home --dir h >out 2>&1 || fail "$(cat out)"
h/bin/hipcc --offload-arch=gfx90a -c k.hip -o k.o 2>err || fail "k: $(cat err)"
h/bin/hipcc -c main.cpp -o main.o 2>err || fail "main: $(cat err)"
h/bin/hipcc k.o main.o -o program 2>err || fail "the link: $(cat err)"
has 'the link' '1 blob is lazy' err
# shellcheck disable=SC2016 # what hipcc's shell would expand
for name in 'a$V' 'b`echo 1`"' 'c\\$V'; do
  for passes in 1 0; do
    mkdir -m 700 "$name"
    status=0
    CK_JIT_CACHE_DIR="$T/$name" CK_JIT_PCH=$passes ./program >out 2>&1 || status=$?
    is "$name, passes $passes ($(cat out))" 41 "$status"
    [ -e "$name/k.so" ] || fail "$name, passes $passes: $(ls -A "$name")"
    lacks "$name, passes $passes" 'no parallel passes' - <<<"x $(cat out)"
    rm -r "$name"
  done
done
