#!/bin/sh
# Units with -fgpu-rdc of HIP 7.2.4, with the old offload driver and the new one: lazy,
# of a partial link as well (-r --hip-link), and a kernel's code is that of the regular link.
# CKJIT_TEST_HIP_ROOT=DIR: in this root, with the clang of HIP_CLANG_PATH, instead (docs/toolchains.md).
# tier: all
# seconds: 33
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
root=${CKJIT_TEST_HIP_ROOT:-$tools/hip7}
[ -n "${CKJIT_TEST_HIP_ROOT-}" ] || "$here/toolchain/hip7-root" "$root" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B" HIP_PLATFORM=amd CK_JIT_UNITS=build CK_JIT_KFD_ROOT="$T/none" CK_JIT_ARCH=gfx942
in_root() { "$here/toolchain/hip7-root" --run "$root" "$@"; }
cd "$T"
cat >a.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int twice(int);
namespace { __global__ void hidden(int *p) { p[0] = twice(p[0]); } }
template <int N> __global__ void times(int *p) { p[0] = twice(p[0]) * N; }
extern "C" int a(int which, int *p) {
  if (which == 0) times<3><<<1, 1>>>(p);
  if (which == 1) hidden<<<1, 1>>>(p);
  return hipGetLastError();
}
C
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int twice(int x) { return x + x; }' \
  'template <int N> __global__ void more(int *p) { p[0] = twice(N); }' 'extern "C" int b(int *p) { more<1><<<1, 1>>>(p); return hipGetLastError(); }' >b.hip
cat >build <<'SH'
#!/bin/sh
# build T B DIR WORD…: the library in DIR, and in DIR/regular without ckjit; then two kernels
set -eu
cd "$1"
B=$2 dir=$3
shift 3
mkdir -p "$dir/regular"
for u in a b; do hipcc -O2 -fPIC --offload-arch=gfx942 -fgpu-rdc "$@" -c $u.hip -o "$dir/regular/$u.o"; done
hipcc -O2 -fgpu-rdc --hip-link --offload-arch=gfx942 "$@" -shared "$dir/regular/a.o" "$dir/regular/b.o" -o "$dir/regular/libab.so"
cd "$dir"
"$B/bin/ckjit-build" home --dir "$PWD/home" --units >exports
. ./exports
for u in a b; do hipcc -O2 -fPIC --offload-arch=gfx942 -fgpu-rdc "$@" -c ../$u.hip -o $u.o; done
hipcc -O2 -fgpu-rdc --hip-link --offload-arch=gfx942 "$@" -r a.o b.o -o both.o
hipcc -shared both.o -o libboth.so
hipcc -O2 -fgpu-rdc --hip-link --offload-arch=gfx942 "$@" -shared a.o b.o -o libab.so
export CK_JIT_MANIFEST="$PWD/home/work/libab/ck_jit_manifest.json" CK_JIT_CACHE_DIR="$PWD/cache"
"$B/bin/ckjit" list --kernels >list
"$B/bin/ckjit" build --blob-list list
# late: recorded, and of a partial link
unset CK_JIT_UNITS
for u in a b; do hipcc -O2 -fPIC --offload-arch=gfx942 -fgpu-rdc "$@" -c ../$u.hip -o $u.o; done
hipcc -O2 -fgpu-rdc --hip-link --offload-arch=gfx942 "$@" -r a.o b.o -o both.o
hipcc -O2 -fgpu-rdc --hip-link --offload-arch=gfx942 "$@" -shared both.o -o liblate.so
export CK_JIT_MANIFEST="$PWD/home/work/liblate/ck_jit_manifest.json" CK_JIT_CACHE_DIR="$PWD/late"
"$B/bin/ckjit" build a
SH
chmod +x build
for driver in no-offload-new-driver offload-new-driver; do
  in_root "$T/build" "$T" "$B" $driver --$driver >said 2>&1 || fail "$driver: $(cat said)"
  has "$driver" 'libab.so: 2 ordinary units, lazy' said
  has "$driver: a partial link" 'libboth.so: 2 ordinary units, lazy' said
  is "$driver: kernels" 3 "$(wc -l <$driver/list)"
  python3 "$here/unit/kernel_code.py" _Z5timesILi3EEvPi $driver/regular/libab.so >wanted
  # each entry has one kernel: clang lists those of templates that the host launches as used
  for f in "$driver"/cache/*.so; do python3 "$here/unit/kernel_code.py" _Z5timesILi3EEvPi.kd "$f" && python3 "$here/unit/kernel_code.py" _Z4moreILi1EEvPi.kd "$f"; done | grep . >found
  is "$driver: entries with a kernel that two have" 2 "$(wc -l <found)"
  for f in "$driver"/cache/a-*.so; do python3 "$here/unit/kernel_code.py" _Z5timesILi3EEvPi "$f"; done | grep . | sort -u >found || fail "$driver: no code"
  cmp wanted found || fail "$driver: the code is another than the regular one"
  has "$driver: late" 'liblate.so: 2 ordinary sources lazy, 0 ahead of time' said
  python3 "$here/unit/kernel_code.py" _Z5timesILi3EEvPi $driver/late/a.so >found
  cmp wanted found || fail "$driver: the code of a late unit is another than the regular one"
  is "$driver: a kernel of b in the entry of a" '' "$(python3 "$here/unit/kernel_code.py" _Z4moreILi1EEvPi $driver/late/a.so 2>/dev/null)"
done
