#!/bin/sh
# HIP units with -fgpu-rdc and two releases of clang in one link: an object of another release, which is compiled already, is what the regular
# link takes, or refuses; a unit that was recorded with another release is compiled with it. CKJIT_TEST_HIP_ROOT is a root that has two
# releases of LLVM (docs/toolchains.md).
# tier: long
. "${0%/*}/common.sh"
root=${CKJIT_TEST_HIP_ROOT-}
[ -n "$root" ] || skip "set CKJIT_TEST_HIP_ROOT to a root with HIP and two releases of LLVM"
(cd "$root" && find usr/lib -maxdepth 3 -path 'usr/lib/llvm-*/bin/clang++') | sed 's|/clang++||' | sort -V >"$T/releases"
[ "$(wc -l <"$T/releases")" -ge 2 ] || skip "$root has one release of LLVM"
older=/$(sed -n 1p "$T/releases")
newer=/$(sed -n '$p' "$T/releases")
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B" HIP_PLATFORM=amd CK_JIT_KFD_ROOT="$T/none" CK_JIT_ARCH=gfx942
cd "$T"
cat >a.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int twice(int);
template <int N> __global__ void times(int *p) { p[0] = twice(p[0]) * N; }
extern "C" int a(int *p) { times<3><<<1, 1>>>(p); return hipGetLastError(); }
C
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int twice(int x) { return x + x; }' >b.hip
cat >build <<'SH'
#!/bin/sh
# build T B OLDER NEWER DRIVER: prints the status of each link
cd "$1" || exit
flags="-O2 -fPIC -w --offload-arch=gfx942 -fgpu-rdc --$5"
with() { clang=$1; shift; HIP_CLANG_PATH=$clang hipcc $flags "$@"; }
links() { name=$1 clang=$2; shift 2; with "$clang" --hip-link -shared "$@" -o "$name.so" >"$name.said" 2>&1; echo "$name $?"; }
with "$3" -c b.hip -o older.o && with "$4" -c b.hip -o newer.o && with "$3" -c a.hip -o a-older.o && with "$4" -c a.hip -o a-newer.o || exit
links stock-older "$4" a-newer.o older.o
links stock-newer "$3" a-older.o newer.o
"$2/bin/ckjit-build" home --dir "$PWD/home" --units >exports
. ./exports
with "$4" -c a.hip -o a.o
links ours-older "$4" a.o older.o
with "$3" -c a.hip -o a.o
links ours-newer "$3" a.o newer.o
with "$3" -c b.hip -o b.o
with "$4" -c a.hip -o a.o
links ours-recorded "$4" a.o b.o
CK_JIT_MANIFEST=$PWD/home/work/ours-recorded/ck_jit_manifest.json CK_JIT_CACHE_DIR=$PWD/cache-$5 "$2/bin/ckjit" build a
SH
chmod +x build
for driver in no-offload-new-driver offload-new-driver; do
  "$here/toolchain/hip7-root" --run "$root" "$T/build" "$T" "$B" "$older" "$newer" $driver >said 2>err || fail "$driver: $(cat said err)"
  for way in older newer; do
    stock=$(sed -n "s/^stock-$way //p" said) ours=$(sed -n "s/^ours-$way //p" said)
    is "$driver: a link with an object of the $way release" "$stock" "$ours"
  done
  is "$driver: a unit recorded with another release" 0 "$(sed -n 's/^ours-recorded //p' said)"
  find "cache-$driver" -name '*.so' | grep -q . || fail "$driver: no entry: $(cat err)"
done
