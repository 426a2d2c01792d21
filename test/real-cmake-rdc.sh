#!/bin/sh
# CMake's language HIP with -fgpu-rdc and a device function of another unit, HIP 7.2.4: as a shared library, and as a program that links a
# static one. The units are recorded, and late; a first call links what its unit reaches.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" cmake || skip "no HIP 7.2.4 root with CMake can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B" CK_JIT_KFD_ROOT="$T/none" CK_JIT_ARCH=gfx942
cd "$T"
cat >k.hip <<'C'
#include <hip/hip_runtime.h>
__device__ int twice(int);
template <int N> __global__ void times(int *p) { p[0] = twice(p[0]) * N; }
extern "C" int call(int *p) { if (p) times<3><<<1, 1>>>(p); return 42; }
C
printf '%s\n' '#include <hip/hip_runtime.h>' '__device__ int twice(int x) { return x + x; }' \
  '__global__ void other(int *p) { *p = twice(*p); }' 'extern "C" int call2(int *p) { if (p) other<<<1, 1>>>(p); return 43; }' >twice.hip
printf '%s\n' '#include <cstdio>' 'extern "C" int call(int *);' 'extern "C" int call2(int *);' 'int main() { std::printf("%d %d\n", call(nullptr), call2(nullptr)); }' >main.cpp
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.21)
project(kernels LANGUAGES CXX HIP)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_HIP_SEPARABLE_COMPILATION ON) # that of FindHIP.cmake; CMake's own language takes the options
foreach(kind SHARED STATIC)
  add_library(k_${kind} ${kind} k.hip twice.hip)
  target_compile_options(k_${kind} PRIVATE -fgpu-rdc)
  target_link_options(k_${kind} PUBLIC -fgpu-rdc --hip-link)
endforeach()
add_executable(of_static main.cpp)
target_link_libraries(of_static k_STATIC)
set_target_properties(of_static PROPERTIES LINKER_LANGUAGE HIP)
C
cat >build <<'SH'
#!/bin/sh
set -eu
cd "$1"
B=$2
eval "$("$B/bin/ckjit-build" home --dir "$PWD/home" --units)"
cmake -S . -B made -G Ninja -DCMAKE_HIP_ARCHITECTURES=gfx942
cmake --build made -v -j 1
export CK_JIT_CACHE_DIR="$PWD/cache"
python3 -c 'import ctypes, sys; l = ctypes.CDLL(sys.argv[1]); print("shared", l.call(None), l.call2(None))' "$PWD/made/libk_SHARED.so"
made/of_static
SH
chmod +x build
"$here/toolchain/hip7-root" --run "$tools/hip7" "$T/build" "$T" "$B" >said 2>&1 || fail "$(cat said)"
has 'a shared library' 'libk_SHARED.so: 2 ordinary sources lazy, 0 ahead of time' said
has 'a program of a static one' 'of_static: 2 ordinary sources lazy, 0 ahead of time' said
has 'calls of the shared one' 'shared 42 43' said
is 'calls of the program' '42 43' "$(tail -n 1 said)"
