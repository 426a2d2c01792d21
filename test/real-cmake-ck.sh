#!/bin/sh
# CK's own CMake build of its FMHA example, with HIP 7.2.4: CMAKE_CXX_COMPILER is the fake hipcc, CMAKE_HIP_COMPILER the fake home's
# clang++; GPU_TARGETS with Ninja, or with CK_MAKE=1, as in real-cmake-ck-make.sh, GPU_ARCHS with Make. The kernels are recorded, the
# executable is linked with none of them compiled, and starts. With Ninja a kernel is compiled from its manifest.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$(realpath "$B/toolchain") # it may be a link to one elsewhere
"$here/toolchain/hip7-root" "$tools/hip7" cmake rocm-cmake || skip "no HIP 7.2.4 root with CMake can be made here, see $tools/hip7.log"
"$here/toolchain/ck-cmake-source" "$tools/ck-cmake" || skip "CK's source cannot be fetched here, see $tools/ck-cmake/log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B $tools/ck-cmake"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }

# CK's tree without what is not asked for here: its library, the other examples, the profiler and the tests take CMake minutes. All
# that is used is CK's own, unchanged. With GPU_ARCHS CK leaves its examples out; the place of the library adds this one then.
ck=$tools/ck-cmake/composable_kernel
src=$T/ck
mkdir -p "$src/example/ck_tile" "$src/library" "$src/tile_engine" "$src/profiler"
for entry in CMakeLists.txt Config.cmake.in LICENSE cmake include; do
  ln -s "$ck/$entry" "$src/$entry"
done
ln -s "$ck/library/include" "$src/library/include"
ln -s "$ck/example/CMakeLists.txt" "$src/example/CMakeLists.txt"
ln -s "$ck/example/ck_tile/01_fmha" "$src/example/ck_tile/01_fmha"
printf 'include_directories(AFTER ${CMAKE_CURRENT_LIST_DIR})\nadd_subdirectory(01_fmha)\n' >"$src/example/ck_tile/CMakeLists.txt"
echo 'if(GPU_ARCHS)
  add_subdirectory(${PROJECT_SOURCE_DIR}/example/ck_tile ck_tile)
  foreach(target IN LISTS SUPPORTED_GPU_TARGETS)
    target_compile_options(tile_example_fmha_bwd PRIVATE --offload-arch=${target})
  endforeach()
endif()' >"$src/library/CMakeLists.txt"
: >"$src/tile_engine/CMakeLists.txt"
: >"$src/profiler/CMakeLists.txt"

# The generator, told to write fewer kernels; ALL=1 writes them all.
cat >"$T/python3" <<'SH'
#!/bin/sh
case "$*" in
*/generate.py*) [ -n "${ALL-}" ] || set -- "$@" --filter "${CK_FILTER:?}" ;;
esac
exec /usr/bin/python3 "$@"
SH
chmod +x "$T/python3"
cat >"$T/build" <<'SH'
#!/bin/sh
# build NAME GENERATOR TARGET OPTION…
set -eu
cd "$1"
B=$2 name=$3 generator=$4 target=$5
shift 5
eval "$("$B/bin/ckjit-build" home --dir "$PWD/home" --work "$PWD/work-$name")"
start=$(date +%s)
cmake -S ck -B "$name" -G "$generator" -DCMAKE_CXX_COMPILER="$PWD/home/bin/hipcc" -DCMAKE_HIP_COMPILER="$PWD/home/bin/amdclang++" \
  -DCMAKE_HIP_ARCHITECTURES=gfx942 -DPython3_EXECUTABLE="$PWD/python3" -DBUILD_TESTING=OFF -DBUILD_DEV=OFF \
  -DENABLE_CLANG_CPP_CHECKS=OFF -DCMAKE_CXX_FLAGS=-w "$@"
echo "$name: configured in $(($(date +%s) - start)) s"
start=$(date +%s)
cmake --build "$name" --target "$target" -j 2
echo "$name: built in $(($(date +%s) - start)) s"
SH
chmod +x "$T/build"
# build NAME GENERATOR TARGET OPTION…
build() {
  in_root env ALL="${ALL-}" CK_FILTER="$CK_FILTER" "$T/build" "$T" "$B" "$@" >"$T/$1.log" 2>&1 || {
    tail -n 30 "$T/$1.log" | cut -c1-2000
    fail "$*: the build failed"
  }
  grep -E '^ckjit-link:|^[a-z]*: (configured|built) in' "$T/$1.log" | cut -c1-300
}
# recorded NAME ARCHITECTURES TARGET: all of what the generator wrote is recorded, for these architectures
recorded() {
  records=$T/work-$1/manifest.json.ndjson
  blobs=$(grep -c '"kind":"blob"' "$records")
  generated=$(find "$T/$1" -name 'fmha_bwd_*.cpp' ! -name '*_api.cpp' | wc -l)
  [ "$blobs" = "$generated" ] && [ "$blobs" -gt 0 ] || fail "$1: $blobs of $generated kernels are recorded"
  archs=$(grep '"kind":"blob"' "$records" | head -n 1 | grep -o 'offload-arch=[a-z0-9]*' | sort -u | tr '\n' ' ')
  [ "$archs" = "$2" ] || fail "$1: recorded for '$archs', not '$2'"
  grep -q "^ckjit-link: $3: $blobs blobs are lazy .* 0 compiled ahead of time, 1 dispatcher" "$T/$1.log" ||
    fail "$1: $(grep '^ckjit-link' "$T/$1.log")"
}
# runs NAME TARGET: the program starts, tells its options, and nothing is compiled for that
runs() {
  in_root env CK_JIT_CACHE_DIR="$T/cache" "$T/$1/bin/$2" '-?' >"$T/out" 2>&1 || true
  grep -q 'v.*iter\|validation' "$T/out" || fail "$2 does not tell its options: $(head -n 5 "$T/out")"
  [ ! -e "$T/cache" ] || fail "something was compiled for its options: $(ls -A "$T/cache")"
}

if [ "${CK_MAKE-}" ]; then
  CK_FILTER='*d32_bf16*'
  build make 'Unix Makefiles' tile_example_fmha_bwd '-DGPU_ARCHS=gfx90a;gfx942'
  recorded make 'offload-arch=gfx90a offload-arch=gfx942 ' tile_example_fmha_bwd
  runs make tile_example_fmha_bwd
  exit
fi
CK_FILTER='*d64_bf16*'
build ninja Ninja tile_example_fmha_bwd -DGPU_TARGETS=gfx942
recorded ninja 'offload-arch=gfx942 ' tile_example_fmha_bwd
runs ninja tile_example_fmha_bwd

# The smallest kernel, compiled for gfx942 from the manifest of the link, as the first call would.
manifest=$(find "$T/work-ninja" -name ck_jit_manifest.json)
stem=$(in_root "$B/bin/ckjit-prebuild" list --manifest "$manifest" | grep dot_do_o | head -n 1)
in_root "$B/bin/ckjit-prebuild" build --manifest "$manifest" --cache-dir "$T/cache" --arch gfx942 "$stem" >"$T/out" 2>&1 ||
  fail "$stem: $(cat "$T/out")"
in_root readelf -S -W "$T/cache/$stem.so" | grep -q '\.hip_fatbin' || fail "$stem: no code object"
# Nothing that changed: nothing is done.
rm -rf "$T/cache"
in_root cmake --build "$T/ninja" --target tile_example_fmha_bwd -- -d explain >"$T/again.log" 2>&1 || fail "$(cat "$T/again.log")"
grep -q 'no work to do' "$T/again.log" || fail "a second build does something: $(tail -n 5 "$T/again.log")"
