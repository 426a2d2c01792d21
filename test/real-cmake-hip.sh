#!/bin/sh
# CMake's language HIP, which takes no hipcc, with HIP 7.2.4: HIPCXX of `ckjit-build home`, the fake home's clang++, or
# CMAKE_HIP_COMPILER for the same. Kernels in .hip files are recorded and compiled lazily. As C++ with -x hip, in response files.
# tier: all
# seconds: 49
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" cmake || skip "no HIP 7.2.4 root with CMake can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }
cd "$T"
cat >api.hpp <<'END'
#include <hip/hip_runtime.h>
template <int N> struct traits {};
template <class T> int answer(int x);
END
cat >k1.hip <<'END'
#include "api.hpp"
using trait = traits<1>;
static __global__ void kernel(int *p) { *p = 1; }
template <> int answer<trait>(int x) {
  if (x < 0) kernel<<<1, 1>>>(nullptr);
  return x + 1;
}
END
cat >host.hip <<'END'
#include "api.hpp"
extern "C" __attribute__((visibility("default"))) int call(int x) { return answer<traits<1>>(x); }
END
cp k1.hip k1.cpp
cp host.hip host.cpp
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(kernels LANGUAGES ${LANG})
set(CMAKE_HIP_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
if(LANG STREQUAL HIP)
  add_library(kernels SHARED k1.hip host.hip)
else()
  add_library(kernels SHARED k1.cpp host.cpp)
  target_compile_options(kernels PRIVATE "SHELL:-x hip --offload-arch=gfx942")
endif()
END
cat >build <<'SH'
#!/bin/sh
# build DIR OPTION…: CK_BARE=1 without HIPCXX
set -eu
cd "$1"
B=$2 dir=$3
shift 3
eval "$("$B/bin/ckjit-build" home --dir "$PWD/home" --work "$PWD/work-$dir")"
[ -z "${CK_BARE-}" ] || unset HIPCXX
cmake -S . -B "$dir" -G Ninja -DCMAKE_HIP_ARCHITECTURES=gfx942 "$@"
cmake --build "$dir" -v
CK_JIT_CACHE_DIR="$PWD/cache-$dir" CK_JIT_ARCH=gfx942 python3 -c \
  'import ctypes, sys; print("answer", ctypes.CDLL(sys.argv[1]).call(41))' "$PWD/$dir/libkernels.so"
SH
chmod +x build
# builds DIR OPTION…
builds() {
  in_root env CK_BARE="${bare-}" "$T/build" "$T" "$B" "$@" >"$1.log" 2>&1 || fail "$*: $(tail -n 20 "$1.log")"
  grep -q 'libkernels.so: 1 blob is lazy (1 function in 1 unit), 0 compiled ahead of time' "$1.log" || fail "$*: $(cat "$1.log")"
  grep -qx 'answer 42' "$1.log" || fail "$*: $(tail -n 5 "$1.log")"
  readelf -S -W "cache-$1/k1.so" | grep -q hip_fatbin || fail "$*: no code object"
}
builds hipcxx -DLANG=HIP
bare=1
builds option -DLANG=HIP "-DCMAKE_HIP_COMPILER=$T/home/bin/amdclang++"
builds response -DLANG=CXX "-DCMAKE_CXX_COMPILER=$T/home/bin/hipcc" -DCMAKE_NINJA_FORCE_RESPONSE_FILE=1
grep -q '\.rsp' response.log || fail "no response files: $(cat response.log)"
in_root env "$T/build" "$T" "$B" refused -DLANG=HIP "-DCMAKE_HIP_COMPILER=$T/home/bin/hipcc" >refused.log 2>&1 && fail "CMake takes hipcc for HIP"
grep -q 'set to the hipcc wrapper' refused.log || fail "CMake says: $(cat refused.log)"
