#!/bin/sh
# What CK's README says to type, with HIP 7.2.4 in a fake home: script/cmake-ck-dev.sh with the home's compilers behind its arguments, make install,
# then client examples against what was installed. With --units the instances and the examples' kernels are lazy; each example is linked, and a
# kernel of it is compiled from its manifest.
# tier: long
# seconds: 300
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" cmake rocm-cmake zstd || skip "no HIP 7.2.4 root with CMake can be made here, see $tools/hip7.log"
"$here/toolchain/ck-cmake-source" "$tools/ck-cmake" || skip "CK's source cannot be fetched here, see $tools/ck-cmake/log"
ck=$(realpath "$tools/ck-cmake/composable_kernel")
programs=$(realpath "$B")
root=$(realpath "$tools/hip7") # the toolchain may be a link to one elsewhere
export CKJIT_BIND="$T $programs $ck"
in_root() { "$here/toolchain/hip7-root" --run "$root" "$@"; }

# CK's tree, of the library one instance, of the client examples one directory: all of it takes hours. What is used is CK's own, unchanged.
src=$T/ck
gpu=library/src/tensor_operation_instance/gpu
mkdir -p "$src/$gpu" "$src/example" "$src/tile_engine" "$src/profiler" "$src/client_example"
for entry in CMakeLists.txt Config.cmake.in LICENSE cmake include script library/CMakeLists.txt library/include library/src/utility \
  "$gpu/CMakeLists.txt" "$gpu/elementwise" client_example/CMakeLists.txt client_example/25_wrapper; do
  ln -s "$ck/$entry" "$src/$entry"
done
for entry in example tile_engine profiler; do
  : >"$src/$entry/CMakeLists.txt"
done

cat >"$T/build" <<'SH'
#!/bin/sh
# build DIR: all of it below DIR
set -eu
cd "$1"
export CK_JIT_UNITS=build # the host sides as well: kernels of late units have no names yet
eval "$("$B/bin/ckjit-build" home --units --dir "$PWD/home" --work "$PWD/work")"
H=$PWD/home inst=$PWD/inst
mkdir ck/build
cd ck/build
../script/cmake-ck-dev.sh .. gfx942 -DCMAKE_CXX_COMPILER="$H/bin/hipcc" -DCMAKE_HIP_COMPILER="$H/bin/amdclang++" \
  -DCMAKE_HIP_ARCHITECTURES=gfx942 -DBUILD_DEV=OFF -DBUILD_TESTING=OFF -DENABLE_CLANG_CPP_CHECKS=OFF -DCMAKE_INSTALL_PREFIX="$inst"
make -j2 install
for part in device_gemm device_conv device_reduction device_contraction; do # which the examples name, and which were left out
  : >"$inst/lib/cmake/composable_kernel/composable_kernel${part}_operationsTargets.cmake"
done
mkdir ../client_example/build
cd ../client_example/build
cmake -D CMAKE_CXX_COMPILER="$H/bin/hipcc" -D CMAKE_PREFIX_PATH="$inst;/opt/rocm" -D GPU_TARGETS=gfx942 -D CMAKE_CXX_FLAGS=-w ..
make -j2
SH
chmod +x "$T/build"
in_root env B="$programs" "$T/build" "$T" >"$T/log" 2>&1 || fail "$(tail -n 30 "$T/log" | cut -c1-1000)"
lazy() {
  sed -n "s/^ckjit-link: $1: \(.*, lazy\);.*/\1/p" "$T/log"
}
is 'an example with a kernel of its own' '2 ordinary units, lazy' "$(lazy client_wrapper_img2col)"
is 'another' '2 ordinary units, lazy' "$(lazy client_wrapper_basic_gemm)"
is 'one that has the library alone' '1 ordinary unit, lazy' "$(lazy client_tensor_transform_using_wrapper)"

# The example's kernel, compiled for gfx942 from the manifest of the link, as its launch would; and the library's are listed beside it.
manifest=$T/work/client_wrapper_img2col/ck_jit_manifest.json
"$B/bin/ckjit-prebuild" list --kernels --manifest "$manifest" >"$T/kernels" || fail "$(cat "$T/kernels")"
has "the library's" device_normalize_instance "$T/kernels"
kernel=$(grep DeviceImageToColumn "$T/kernels" | cut -f 1)
[ -n "$kernel" ] || fail "no kernel of its own: $(cut -c1-200 "$T/kernels")"
in_root "$programs/bin/ckjit-prebuild" build --manifest "$manifest" --cache-dir "$T/cache" --arch gfx942 "$kernel" >"$T/out" 2>&1 || fail "$kernel: $(cat "$T/out")"
in_root readelf -S -W "$(find "$T/cache" -name "$kernel*.so")" >"$T/sections"
has 'its code object' .hip_fatbin "$T/sections"
