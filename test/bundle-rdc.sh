#!/bin/sh
# Units of HIP with -fgpu-rdc, whose kernels call device functions of other units, run from a library with a bundle: moved, and with the build,
# its sources, the work directory and the home gone.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
echo keep=bundle >>home/ckjit.conf
mkdir build moved
cd build || exit
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int twice(int);' '__global__ void k(int *p) { p[0] = twice(p[0]); }' \
  'extern "C" int run() { int *p = nullptr; k<<<1, 1>>>(p); return hipGetLastError(); }' >a.hip
printf '%s\n' '#include <hip/hip_runtime.h>' '#include "factor.h"' '__device__ int twice(int x) { return x * FACTOR; }' '__global__ void other(int *p) { *p = twice(*p); }' >b.hip
echo '#define FACTOR 2' >factor.h
for u in a b; do
  as_build hipcc -O2 -fPIC --offload-arch=gfx90a -fgpu-rdc -B/usr/lib/llvm-15/bin -c $u.hip -o $u.o || fail "$u: $(cat "$T/err")"
done
as_build hipcc -fgpu-rdc -B/usr/lib/llvm-15/bin --hip-link --offload-arch=gfx90a -shared -o lib.so a.o b.o || fail "link: $(cat "$T/err")"
has 'the summary' '2 ordinary units, lazy' "$T/err"
mv lib.so "$T/moved/"
cd "$T" || exit
rm -rf build home
loading_main
mv main moved/
cd moved || exit
run ./main >"$T/out" 2>&1 || fail "$(cat "$T/out")"
is 'launched' 0 "$(tail -n 1 "$T/out")"
has 'the kernel' 'launch _Z1kPi 1 1' "$T/log"
is 'the unit that has its function' 1 "$(find "$T/cache" -name 'b-*.so' | wc -l)"
