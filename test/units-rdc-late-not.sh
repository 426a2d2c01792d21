#!/bin/bash
# HIP units with -fgpu-rdc that cannot be late, in one library with others: all become units, whose kernels are compiled at their launch, or
# the regular compiler makes the library. Partial links, shared and static device variables, two definitions, objects that are compiled already.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
late=1
. "$here/unit/hip_fixture.sh"
units_home
rdc="$small_hip -fgpu-rdc -B/usr/lib/llvm-15/bin -O1 -fPIC -fvisibility=hidden --offload-arch=gfx90a"
shown='extern "C" __attribute__((visibility("default")))'
cat >k.hip <<C
#include <hip/hip_runtime.h>
__device__ int f(int);
__global__ void k(int *p) { p[0] = f(p[0]); }
$shown int call(int *p) { k<<<1, 1>>>(p); return hipGetLastError(); }
C
# unit NAME LINES: a unit that defines f, and has a kernel and a function of its own
unit() {
  printf '%s\n' '#include <hip/hip_runtime.h>' "$2" "__global__ void k_$1(int *p) { *p = f(*p); }" \
    "$shown int $1(int *p) { k_$1<<<1, 1>>>(p); return hipGetLastError(); }" >"$1.hip"
  # shellcheck disable=SC2086 # a list of flags
  as_build hipcc $rdc -c "$1.hip" -o "$1.o" || fail "$1: $(cat err)"
}
unit plain '__device__ int f(int x) { return x + 1; }'
unit twin '__device__ int f(int x) { return x + 1; }'
unit global '__device__ int counter; __device__ int f(int x) { return x + counter++; }'
unit constant '__constant__ int c[4]; __device__ int f(int x) { return x + c[x & 3]; }'
unit inner '__device__ int f(int x) { static int n; return x + n++; }'
echo '#define ON __device__' >on.hpp
unit macro '#include "on.hpp"
static ON int counter; __device__ int f(int x) { return x + counter++; }'
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int f(int);' '__global__ void k(int *p) { p[0] = f(p[0]); }' \
  "$shown int call(int *p) { k<<<1, 1>>>(p); return hipGetLastError(); }" 'int shown_by_default(int x) { return x; }' >open.hip
# shellcheck disable=SC2086
as_build hipcc $rdc -c k.hip -o k.o || fail "k: $(cat err)"
# shellcheck disable=SC2086
as_build hipcc $rdc -fvisibility=default -c open.hip -o open.o || fail "open: $(cat err)"
mkdir kept
cp ./*.o kept
# link NAME OBJECT…
link() {
  name=$1
  shift
  # shellcheck disable=SC2086
  as_build hipcc $rdc --hip-link -shared -o "lib$name.so" "$@"
}
lazy() {
  name=$1
  link "$@" || fail "$name: $(cat err)"
  cp kept/*.o .
}
has_code() { python3 "$here/unit/kernel_code.py" "$1" "$2" 2>/dev/null | grep -q .; }

lazy plain k.o plain.o
has 'two late units' '2 ordinary sources lazy, 0 ahead of time' err
lazy open open.o plain.o
has 'a C++ function that the library exports' '2 ordinary units, lazy' err
! has_code _Z1kPi libopen.so || fail 'open: it has code'
"$B/bin/ckjit" explain home/work/libopen >said 2>&1 || "$B/bin/ckjit" explain home >said 2>&1 || :
for u in global constant; do
  lazy $u k.o $u.o
  has "$u" "$u.o, which was compiled already, defines" err
  has_code _Z1kPi lib$u.so || fail "$u: no code"
done
for u in inner macro; do
  lazy $u k.o $u.o
  has_code _Z1kPi lib$u.so || fail "$u: no code, and its variable is shared: $(cat err)"
done
link twin k.o plain.o twin.o && fail 'f is defined twice'
has 'two definitions' 'define the device function _Z1fi' err
has 'the linker says it' 'duplicate symbol: f(int)' err
cp kept/*.o .
# shellcheck disable=SC2086
CK_JIT_UNITS=0 as_build hipcc $rdc -c plain.hip -o stock.o || fail "stock: $(cat err)"
lazy beside k.o stock.o
has 'beside what is compiled' 'stock.o, which was compiled already, defines _Z1fi for the device' err
has_code _Z1kPi libbeside.so || fail 'beside: no code'

# a source that is not late is compiled once as well: at the link, which knows whether it can be lazy
export CK_JIT_TRACE="$T/trace"
unit early '__device__ int f(int); static int start() { return 1; } int begun = start();'
lazy early early.o stock.o
unset CK_JIT_TRACE
has 'a source with an initialiser' '1 compiled ahead of time' err
is 'compiles of the source with an initialiser' 1 "$(grep -c '"name":"early.hip","cat":"host compile"' trace)"

# a partial link of stubs is a stub
# shellcheck disable=SC2086
as_build hipcc $rdc -r --hip-link -nostdlib -o part.o k.o plain.o || fail "partial: $(cat err)"
is 'records in a partial link' 2 "$(grep -ac '"ckjit":1' part.o)"
lazy part part.o
has 'a partial link' '2 ordinary sources lazy, 0 ahead of time' err
