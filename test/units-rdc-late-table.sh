#!/bin/bash
# RCCL's form: kernels call functions of other units by a table of the device. The units are late, and a kernel's first call links all that the
# table has, once; CK_JIT_VERBOSE=1 says so. The code is that of the regular link.
# tier: all
# seconds: 20
# shellcheck disable=SC2086 # $rdc is a list of flags
. "${0%/*}/common.sh"
late=1
. "$here/unit/hip_fixture.sh"
rdc="$small_hip -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -fgpu-rdc -B/usr/lib/llvm-15/bin"
units_home
cat >table.hpp <<'C'
#pragma once
#include <hip/hip_runtime.h>
typedef void (*function)(int *);
extern __device__ function const functions[];
C
for u in sum product; do
  printf '%s\n' '#include "table.hpp"' "__device__ void $u(int *p) { for (int i = 1; i < p[1]; i++) p[0] = p[0] * i + ${#u}; }" >$u.hip
done
printf '%s\n' '#include "table.hpp"' '__device__ void sum(int *);' '__device__ void product(int *);' \
  '__device__ function const functions[] = {sum, product, nullptr};' >table.hip
for u in a b; do
  printf '%s\n' '#include "table.hpp"' "__global__ void kernel_$u(int *p, int which) { functions[which](p); }" \
    "extern \"C\" __attribute__((visibility(\"default\"))) int $u(int which) { kernel_$u<<<1, 1>>>(nullptr, which); return hipGetLastError(); }" >$u.hip
done
units="a b table sum product"
mkdir regular
for u in $units; do
  as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
  hipcc $rdc -c $u.hip -o regular/$u.o || fail "regular: $u"
done
as_build hipcc $rdc --hip-link -shared -o libtable.so a.o b.o table.o sum.o product.o || fail "link: $(cat err)"
has 'the summary' '2 ordinary sources lazy, 0 ahead of time' err
hipcc $rdc --hip-link -shared -o regular/libtable.so regular/*.o || fail 'the regular link'
export CK_JIT_MANIFEST="$T/home/work/libtable/ck_jit_manifest.json" CK_JIT_VERBOSE=1
"$B/bin/ckjit" build a >said 2>&1 || fail "build: $(cat said)"
has 'it says so' 'it calls functions by their addresses, or is not understood, so it is linked with all units of its library' said
"$B/bin/ckjit" build b >said 2>&1 || fail "build: $(cat said)"
is 'objects: two entries, and three units once' 7 "$(find cache/.fragments -name '*.o' | wc -l)"
for u in a b; do
  python3 "$here/unit/kernel_code.py" _Z8kernel_${u}Pii regular/libtable.so >wanted
  python3 "$here/unit/kernel_code.py" _Z8kernel_${u}Pii cache/$u.so >found
  grep -q . found || fail "$u: no code"
  is "$u: size of its code" "$(wc -c <wanted)" "$(wc -c <found)"
  for f in _Z3sumPi _Z7productPi; do
    python3 "$here/unit/kernel_code.py" $f regular/libtable.so >wanted
    python3 "$here/unit/kernel_code.py" $f cache/$u.so >found
    grep -q . found || fail "$u: $f is not in it"
    cmp wanted found || fail "$u: the code of $f is another"
  done
done
