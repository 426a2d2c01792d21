#!/bin/sh
# Incremental builds of HIP units with -fgpu-rdc: a link that the regular compiler made in their place, because one lacked a function,
# leaves them what they were. When that one is mended and compiled anew, all are lazy, those in an archive and fragments as well.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
rdc="$small_hip -fgpu-rdc -B/usr/lib/llvm-15/bin -O1 -fPIC --offload-arch=gfx90a"
cat >k.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int f(int);
__global__ void k(int *p) { p[0] = f(p[0]); }
extern "C" int call(int *p) { k<<<1, 1>>>(p); return hipGetLastError(); }
C
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int g(int);' '__device__ int f(int x) { return g(x) + 1; }' '__global__ void unused(int *p) { *p = f(*p); }' >f.hip
printf '%s\n' '#include <hip/hip_runtime.h>' '__global__ void other(int *p) { *p = 1; }' >g.hip
compile() {
  # shellcheck disable=SC2086 # a list of flags
  for u; do as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"; done
}
# shellcheck disable=SC2086
link() { as_build hipcc $rdc --hip-link -shared -o libk.so k.o "$@"; }
compile k f g
ar rc libf.a f.o
link g.o libf.a && fail 'nobody defines g, and the link succeeds'
has 'a missing function' 'no unit that is linked with it defines _Z1gi' err
echo '__device__ int g(int x) { return x * 2; }' >>g.hip
compile g
cp -p k.o k.replaced
touch k.o # as CK_JIT_UNITS=0 makes it again
link g.o libf.a || fail "k is compiled: $(cat err)"
has 'an object that was compiled since' 'k.o, which was compiled already' err
mv k.replaced k.o
compile g
link g.o libf.a || fail "g is mended: $(cat err)"
has 'one unit compiled anew' 'libk.so: 3 ordinary units, lazy' err
