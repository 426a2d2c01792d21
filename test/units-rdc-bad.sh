#!/bin/bash
# Units of HIP with -fgpu-rdc that cannot be lazy: a device variable that others can name, a static one that another unit's kernel reaches,
# a device object that is compiled already, two definitions. The regular link makes the library, or refuses it, and explain says why.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
rdc="-fgpu-rdc -B/usr/lib/llvm-15/bin -O1 -fPIC --offload-arch=gfx90a"
cat >k.hip <<'C'
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ int f(int);
__global__ void k(int *p) { p[0] = f(p[0]); printf("%d\n", p[0]); }
extern "C" __attribute__((visibility("default"))) int call(int *p) { k<<<1, 1>>>(p); return hipGetLastError(); }
C
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int counter;' '__device__ int f(int x) { return x + counter++; }' '__global__ void unused(int *p) { *p = counter; }' >global.hip
printf '%s\n' '#include <hip/hip_runtime.h>' 'static __device__ int counter;' '__device__ int f(int x) { return x + counter++; }' '__global__ void unused(int *p) { *p = counter; }' >static.hip
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int f(int x) { return x + 1; }' '__global__ void unused(int *p) { *p = f(*p); }' >plain.hip
cp plain.hip twin.hip
sed -i 's/unused/other/' twin.hip
for u in k global static plain twin; do
  # shellcheck disable=SC2086 # a list of flags
  as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
done
# link NAME OBJECT…
link() {
  name=$1
  shift
  # shellcheck disable=SC2086
  as_build hipcc $rdc --hip-link -shared -o "lib$name.so" "$@"
}
has_code() { python3 "$here/unit/kernel_code.py" "$1" "$2" | grep -q . || fail "$2: $1 is not in it"; }
cp k.o k.lazy
link global k.o global.o || fail "global: $(cat err)"
has 'a variable for others' 'global.o, which was compiled already, defines' err
has_code _Z1kPi libglobal.so
"$B/bin/ckjit" explain home global.hip >said 2>&1 || fail "explain: $(cat said)"
has 'explain of a variable' 'it has the device variable counter, which all kernels of a device link share' said
# a unit that uses it is compiled once, at the build; one whose headers declare it, and no more, is lazy
sed 's/^__device__ int f(int);/__device__ int f(int); extern __device__ int counter;/' k.hip >declares.hip
sed 's/f(p\[0\]);/f(counter);/' declares.hip >uses.hip
for u in declares uses; do
  # shellcheck disable=SC2086
  as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
done
"$B/bin/ckjit" explain home uses.hip >said 2>&1 || fail "explain: $(cat said)"
has 'explain of its use' 'it uses the device variable counter of another unit, which all kernels of a device link share' said
link uses uses.o global.o || fail "uses: $(cat err)"
lacks 'uses: a compile at the link' ckjit-link err
has_code _Z1kPi libuses.so
link declares declares.o plain.o || fail "declares: $(cat err)"
has 'one that declares it' '2 ordinary units, lazy' err
cp k.lazy k.o
link static k.o static.o || fail "static: $(cat err)"
has 'a static variable' 'k.hip needs _Z1fi of static.hip, which has the device variable' err
has_code _Z1kPi libstatic.so
cp k.lazy k.o
link twin k.o plain.o twin.o && fail 'f is defined twice'
has 'two definitions' 'plain.hip and twin.hip define the device function _Z1fi' err
has 'the linker says it' 'duplicate symbol: f(int)' err
cp k.lazy k.o
# shellcheck disable=SC2086
CK_JIT_UNITS=0 as_build hipcc $rdc -c plain.hip -o stock.o || fail "stock: $(cat err)"
link beside k.o stock.o || fail "beside: $(cat err)"
has 'beside what is compiled' 'stock.o, which was compiled already, defines _Z1fi for the device' err
has_code _Z1kPi libbeside.so
