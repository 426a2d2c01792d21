#!/bin/sh
# A library with a bundle, in site-packages where pip has installed rocm-sdk and where there is no other
# hipcc: it compiles with that of _rocm_sdk_core, and with that of _rocm_sdk_devel. Without them the
# first call says so. A directory of `pip install --target` is as good. The two packages are laid out here, of the HIP 7.2.4 root's files.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B" HIP_PLATFORM=amd CK_JIT_KFD_ROOT="$T/none" CK_JIT_ARCH=gfx90a CK_JIT_CACHE_DIR="$T/cache"
site='site-packages'
in_root() { unshare -m "$here/toolchain/hip7-root" --run "$tools/hip7" env B="$B" T="$T" top="$top" site="$site" sh -c 'cd "$T" && exec sh -eu "$@"' - "$@"; }
cd "$T"
cat >unit.hip <<'C'
#include <hip/hip_runtime.h>
#include "factor.h"
__global__ void k(int *p) { p[0] = FACTOR; }
extern "C" int run() { k<<<1, 1>>>((int *)0); return hipGetLastError(); }
C
echo '#define FACTOR 2' >factor.h
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main() {
  void *h = dlopen("./lib.so", RTLD_NOW);
  if (!h) return puts(dlerror()), 2;
  printf("%d\n", ((int (*)())dlsym(h, "run"))());
}
C
cat >build <<'SH'
"$B/bin/ckjit-build" home --dir "$T/home" --units >exports
. ./exports
echo keep=bundle >>home/ckjit.conf
hipcc -O2 -fPIC --offload-arch=gfx90a -c unit.hip -o unit.o
hipcc -shared --offload-arch=gfx90a unit.o -o lib.so
mkdir -p site-packages/k hip
mv lib.so site-packages/k/
rm -rf home unit.* factor.h
gcc main.c -o site-packages/k/main
# a HIP without a GPU
echo 'hip_4.2 { global: *; };' >hip/map
gcc -std=gnu11 -shared -fPIC -Wl,-soname,libamdhip64.so.7 -Wl,--version-script=hip/map "$top/test/unit/runtime_hip.c" -o hip/libamdhip64.so.7 -pthread
SH
cat >package <<'SH'
# package NAME: NAME in the directory of packages as rocm-sdk has it, by links to what this root has
mkdir -p "$site/$1/bin" "$site/$1/lib" "$site/$1/share"
cp /usr/bin/hipcc "$site/$1/bin/"
ln -s /usr/lib/llvm-* "$site/$1/lib/"
for clang in /usr/lib/llvm-*; do ln -sfn "$clang" "$site/$1/lib/llvm"; done
cp -r /usr/share/hip "$site/$1/share/"
SH
cat >first-call <<'SH'
rm -rf cache
mount --bind /dev/null /usr/bin/hipcc
cd "$site/k"
HIPRT_LOG=$T/log LD_LIBRARY_PATH=$T/hip exec ./main
SH
CK_JIT_UNITS=build in_root build >said 2>&1 || fail "the build: $(cat said)"
has "the build" 'lib.so: 1 ordinary unit, lazy' said
in_root first-call >out 2>&1 || fail "without a compiler: $(cat out)"
is "without a compiler: hipErrorInvalidDeviceFunction" 98 "$(tail -n 1 out)"
has "without a compiler" "there is no hipcc" out
has "without a compiler" "Three ways out: install ROCm's HIP compiler" out
for package in _rocm_sdk_core _rocm_sdk_devel; do
  # pip install --target DIR: any name
  [ $package = _rocm_sdk_core ] || { mv site-packages packages; site=packages; mkdir packages/k-1.0.dist-info; }
  in_root package $package || fail "$package"
  : >log
  in_root first-call >out 2>&1 || fail "$package: $(cat out)"
  is "$package" 0 "$(tail -n 1 out)"
  has "$package" 'launch _Z1kPi 1 1' log
  rm -rf "${site:?}/$package"
done
