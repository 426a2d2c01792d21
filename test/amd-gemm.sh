#!/bin/sh
# Two of ComposableKernel's f32 GEMM instances, a lazy unit of four kernels, compute on an emulated MI300X
# (gfx942) what the regular compiler's compute, bit for bit and valid against sums on the host; a second
# process compiles nothing.
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
"$here/toolchain/ck-cmake-source" "$B/toolchain/ck-cmake" || skip "CK's source cannot be fetched here, see $B/toolchain/ck-cmake/log"
ck=$(realpath "$B/toolchain/ck-cmake/composable_kernel")
export CKJIT_BIND="$ck" CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR="$T/cache"
mkdir -p "$T/gen/ck"
sed 's/#cmakedefine .*//; s/@[^@]*@/1/' "$ck/include/ck/config.h.in" >"$T/gen/ck/config.h"
instances=$ck/library/src/tensor_operation_instance/gpu/gemm/device_gemm_xdl_f32_f32_f32_mk_nk_mn_instance.cpp
awk '/^ *DeviceGemmXdl</ { before = last; last = $0; next } last { print before; print last; last = "" } { print }' "$instances" >"$T/gemm.cpp"
is 'instances' 2 "$(grep -c '^ *DeviceGemmXdl<' "$T/gemm.cpp")"
cat >"$T/build" <<'SH2'
#!/bin/sh
# build DIR: the library, by the hipcc of the path
set -eu
mkdir "$1"
words="-include memory -std=c++17 -O3 -fPIC -DNDEBUG -DCK_ENABLE_FP32 -DCK_USE_XDL -I$T/gen -I$ck/include
-I$ck/library/include --offload-arch=gfx942 -Wno-everything"
hipcc $words -c "$T/gemm.cpp" -o "$1/gemm.o"
hipcc $words --offload-host-only -x hip -c "$here/gpu/gemm.cpp" -o "$1/run.o"
hipcc --offload-arch=gfx942 -shared "$1/gemm.o" "$1/run.o" -o "$1/libgemm.so"
SH2
both_builds --units
has 'the unit is lazy' '1 ordinary source lazy' "$T/log"
regular libgemm.so all
is 'kernels with valid results' 4 "$(grep -c 'valid:y' "$T/stock.out")"
lazily libgemm.so all
