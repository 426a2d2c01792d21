# hip_fixture.sh - a HIP without a GPU (runtime_hip.c), for libraries of lazy units: source it behind common.sh.
#
#   $T/hip          its directory, for LD_LIBRARY_PATH; libraries are linked with the real one's stub or with this
#   units_home      $T/home, a fake home whose ordinary units are lazy
#   as_build …      a command as the user's build would run it; what it says on standard error is in $T/err
#   $small_hip      options of units that use little of HIP: a hip_runtime.h without the rest, and no
#                   device libraries. A compile takes a fifth of the time
#   run PROGRAM …   a program with that HIP; what is asked of HIP is in $T/log
# shellcheck shell=sh
need gcc
need_hipcc
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_UNITS
# shellcheck disable=SC2034 # for tests
small_hip="-nogpuinc -nogpulib -isystem ${here:?}/unit/small_hip"
# The host side of units is made at the build, unless a test says `late=1` before.
[ "${late:-}" ] || export CK_JIT_UNITS=build
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a
cd "$T" || exit
mkdir hip
# the versions of HIP 5.2 for what the tests call
hip_map='hip_4.2 { global: *; };
hip_4.3 { global: hipGraphAddKernelNode; hipGraphDestroy; hipGraphExecDestroy; hipGraphLaunch;
  hipStreamBeginCapture; hipStreamEndCapture; } hip_4.2;
hip_4.4 { global: hipGraphGetNodes; } hip_4.3;
hip_4.5 { global: hipGraphInstantiateWithFlags; } hip_4.4;'
hip_object() {
  echo "$hip_map" >"$T/hip/map" &&
    gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libamdhip64.so.5 -Wl,--version-script="$T/hip/map" \
      "${here:?}/unit/runtime_hip.c" "$@" -pthread
}
once_file hip/libamdhip64.so.5 "$hip_map $(cat "${here:?}/unit/runtime_hip.c" "$here/unit/runtime_device.h")" hip_object
ln -s libamdhip64.so.5 hip/libamdhip64.so

units_home() {
  "$B/bin/ckjit-build" home --dir "$T/home" --units >"$T/exports" 2>"$T/home.log" || fail "no fake home: $(tail -n 1 "$T/home.log")"
}
as_build() (
  # shellcheck disable=SC1091
  . "$T/exports"
  "$@" 2>"$T/err"
)
run() (
  : >"$T/log"
  HIPRT_LOG=$T/log LD_LIBRARY_PATH=$T/hip exec "$@"
)
gpu_link='-Lhip -lamdhip64'
# shellcheck source=SCRIPTDIR/loading_main_fixture.sh
. "$here/unit/loading_main_fixture.sh"

# two_units: libunits.so of a.hip and b.hip, with two kernels each; `main a0 b1` calls a(0) and b(1), and prints what each returned
two_units() {
  units_home
  for u in a b; do
    cat >$u.hip <<C
#include <hip/hip_runtime.h>
__global__ void first_$u(int *p) { p[0] = 1; }
template <int N> __global__ void times_$u(int *p) { p[0] *= N; }
extern "C" __attribute__((visibility("default"))) int $u(int which) {
  if (which == 0) first_$u<<<1, 1>>>(nullptr);
  else times_$u<3><<<1, 1>>>(nullptr);
  return hipGetLastError();
}
C
    as_build hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c $u.hip -o $u.o || fail "$u: $(cat err)"
  done
  as_build hipcc -shared -o libunits.so a.o b.o || fail "link: $(cat err)"
  cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
extern "C" int a(int), b(int);
int main(int, char** v) {
  while (*++v) printf("%s %d\n", *v, **v == 'a' ? a(atoi(*v + 1)) : b(atoi(*v + 1)));
}
C
  g++ main.cpp -o main -L. -lunits -Lhip -lamdhip64 -Wl,-rpath,"$T"
}
