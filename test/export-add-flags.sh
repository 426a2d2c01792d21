#!/bin/sh
# `export --add-flags`: a kernel with other constants, in a file of its own; the library and the cache do not know of it. What the flags cannot be is
# refused before anything is compiled.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
need_hipcc
need python3
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_ARCH CK_JIT_MANIFEST CK_JIT_ROOT
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
cd "$T"
printf '#include <hip/hip_runtime.h>\ntemplate <int N> int add_(int b);\n' >add.h
cat >add.cu <<'END'
#include "add.h"
#ifndef A
#define A 1
#endif

template <int N> __global__ void kernel(int *p) { p[threadIdx.x] += A; }
template <> int add_<0>(int b) {
  if (b < 0) kernel<0><<<1, 64>>>(nullptr);
  return A + b;
}
END
"$B/bin/ckjit-build" home --dir home --work work >out 2>&1 || fail "$(cat out)"
home/bin/hipcc -O1 -fPIC --offload-arch=gfx90a -c add.cu -o add.o && home/bin/hipcc --offload-arch=gfx90a -shared -o libadd.so add.o >out 2>&1 || fail "$(cat out)"
export_() {
  "$B/bin/ckjit-prebuild" export add --manifest work/libadd/ck_jit_manifest.json --format so --symbol add_=add "$@" >out 2>err
}
# add FILE: the function of it, of 2
add() {
  python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).add(2))' "$PWD/$1"
}
export_ --output plain.so || fail "$(cat err)"
export_ --output forty.so --add-flags '-DA=40' || fail "$(cat err)"
export_ --output quoted.so --add-flags "'-DA=(50 + 6)' -O1" || fail "$(cat err)"
is 'plain, 40, 56' '3 42 58' "$(add plain.so) $(add forty.so) $(add quoted.so)"
[ ! -e cache ] || [ -z "$(find cache -name '*.so')" ] || fail "it is in the cache: $(ls cache)"

export_ --output bad.so --add-flags '-DA=;' && fail 'a constant that does not compile'
has 'the compiler' 'add.cu:' err
[ ! -e bad.so ] || fail 'something was written'
status=0
export_ --output bad.so --add-flags "'-DA" || status=$?
is 'status' 2 $status
has 'a quote' "--add-flags ''-DA': a quote is not closed" err
export_ --output bad.so --add-flags -DA=1 --add-flags -DB && fail 'twice'
has 'twice' '--add-flags: expected once' err
"$B/bin/ckjit-prebuild" list --manifest work/libadd/ck_jit_manifest.json --add-flags -DA=1 2>err && fail 'list has flags'
has 'list' 'goes with export' err
