#!/bin/sh
# ComposableKernel's f32 GEMM instances (mk_nk), a lazy unit of 26 kernels, and two instances each for f16 and bf16 compute on an emulated
# MI300X (gfx942) what the regular compiler's compute, bit for bit and valid against sums on the host; a second process compiles nothing.
# INSTANCES=N: so many of each type, the last ones of their sources.
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
"$here/toolchain/ck-cmake-source" "$B/toolchain/ck-cmake" || skip "CK's source cannot be fetched here, see $B/toolchain/ck-cmake/log"
ck=$(realpath "$B/toolchain/ck-cmake/composable_kernel")
export CKJIT_BIND="$ck" CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR="$T/cache"
mkdir -p "$T/gen/ck"
sed 's/#cmakedefine .*//; s/@[^@]*@/1/' "$ck/include/ck/config.h.in" >"$T/gen/ck/config.h"
# gemm TYPE NAME LIST INSTANCES: the unit of this type, with the last INSTANCES of its source's LIST
gemm() {
  type=$1 name=device_gemm_xdl_$2_mk_nk_mn_instance wanted=$4
  source=$ck/library/src/tensor_operation_instance/gpu/gemm/$name.cpp
  {
    sed '/^void add_/,$d' "$source"
    cat <<C
using f32 = float;
using f16 = half_t;
using bf16 = bhalf_t;
using List = device_gemm_xdl_$2_mk_nk_mn_$3;
template <size_t... I> std::tuple<std::tuple_element_t<std::tuple_size_v<List> - 1 - I, List>...> last(std::index_sequence<I...>);
void add_${name}s(std::vector<std::unique_ptr<DeviceGemm<Row, Col, Row, $type, $type, $type, PassThrough, PassThrough, PassThrough>>> &instances) {
  add_device_operation_instances(instances, decltype(last(std::make_index_sequence<$4>{})){});
}
}}}}
C
  } >"$T/gemm-$type.cpp"
  cat >"$T/build" <<SH2
#!/bin/sh
# build DIR: the library, by the hipcc of the path
set -eu
mkdir -p "\$1"
words="-include memory -std=c++17 -O3 -fPIC -DNDEBUG -DCK_ENABLE_FP32 -DCK_ENABLE_FP16 -DCK_ENABLE_BF16 -DCK_USE_XDL -I$T/gen
-I$ck/include -I$ck/library/include --offload-arch=gfx942 -Wno-everything"
hipcc \$words -c "$T/gemm-$type.cpp" -o "\$1/gemm.o"
hipcc \$words --offload-host-only -DTYPE=$type -DINSTANCES=add_${name}s -x hip -c "$here/gpu/gemm.cpp" -o "\$1/run.o"
hipcc --offload-arch=gfx942 -shared "\$1/gemm.o" "\$1/run.o" -o "\$1/libgemm-$type.so"
SH2
  rm -rf "${T:?}/home" "$T/work"
  both_builds --units
  has "$type: the unit is lazy" '1 ordinary source lazy' "$T/log"
  regular "libgemm-$type.so" all
  is "$type: kernels with valid results" $((2 * wanted)) "$(grep -c 'valid:y' "$T/stock.out")"
  lazily "libgemm-$type.so" all
}
gemm f32 f32_f32_f32 instances "${INSTANCES:-13}"
gemm f16 c_shuffle_f16_f16_f16 'instances<GemmSpecialization::Default>' "${INSTANCES:-2}"
gemm bf16 c_shuffle_bf16_bf16_bf16 'instances<GemmSpecialization::Default>' "${INSTANCES:-2}"
