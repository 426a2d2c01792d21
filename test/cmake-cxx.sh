#!/bin/sh
# A CMake project whose CMAKE_CXX_COMPILER is the fake hipcc, with Ninja and with Make: CMake's checks reach the compiler, kernels are
# recorded, objects may stand in response files, a second build does nothing, an edited header records again, and the library works.
# Make's build is configured by a preset that names another compiler, as CK's script/cmake-ck-dev.sh does: options win.
# tier: long
# seconds: 41
. "${0%/*}/common.sh"
need cmake ninja make
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(kernels LANGUAGES CXX)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
check_cxx_compiler_flag(-O1 HAS_O1)
check_cxx_compiler_flag(-fno-such-option HAS_NO_SUCH_OPTION)
check_cxx_source_compiles("template <int N> int f(); template <> int f<1>() { return 1; } int main() { return f<1>(); }" COMPILES)
check_cxx_source_compiles("int main() { return no_such_name; }" COMPILES_WRONG)
message(STATUS "checks: ${CMAKE_CXX_COMPILER_ID}, ${HAS_O1}, ${HAS_NO_SUCH_OPTION}, ${COMPILES}, ${COMPILES_WRONG}.")
set(CMAKE_CXX_USE_RESPONSE_FILE_FOR_OBJECTS ${RESPONSE})
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
add_library(kernels SHARED k1.cpp k2.cpp host.cpp)
target_compile_options(kernels PRIVATE "SHELL:-x c++")
END
cat >CMakePresets.json <<'END'
{"version": 3, "configurePresets": [
  {"name": "dev", "binaryDir": "${sourceDir}/build",
   "cacheVariables": {"CMAKE_CXX_COMPILER": "/opt/rocm/llvm/bin/clang++", "CMAKE_BUILD_TYPE": "Release"}},
  {"name": "dev-minimal", "inherits": ["dev"]}]}
END
# build DIR GENERATOR OPTION…
build() {
  dir_=$1
  shift
  as_build cmake -S . -B "$dir_" -G "$@" "-DCMAKE_CXX_COMPILER=$T/home/bin/hipcc" >"$dir_.log" 2>&1 || fail "$*: $(cat "$dir_.log" err)"
  grep -q -e '-- checks: Clang, 1, , 1, \.$' "$dir_.log" || fail "$*: $(grep checks "$dir_.log")"
  again "$dir_"
}
# again DIR: what it says is in DIR.log
again() {
  as_build sh -c 'cmake --build "$0" 2>&1' "$1" >"$1.log" || fail "$1: $(tail -n 20 "$1.log")"
}
for how in 'Ninja OFF' 'Unix ON'; do
  generator=${how% *} response=${how#* }
  dir=$generator-$response
  preset=
  [ "$generator" = Ninja ] || generator='Unix Makefiles' preset=--preset=dev-minimal
  rm -rf "$work/libkernels"
  build "$dir" "$generator" ${preset:+"$preset"} "-DRESPONSE=$response"
  grep -q 'ckjit-link: libkernels.so: 2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time' "$dir.log" ||
    fail "$dir: $(cat "$dir.log")"
  right "$dir/libkernels.so" 1 2
  again "$dir"
  lacks "$dir: linked again" ckjit-link "$dir.log"
done
sleep 1
echo '// edited' >>api.hpp
for dir in Ninja-OFF Unix-ON; do
  again $dir
  [ "$(grep -c 'Building CXX' $dir.log)" = 3 ] || grep -q '\[4/4\]' $dir.log || fail "$dir: an edited header: $(cat $dir.log)"
  grep -q 'libkernels.so: 2 blobs are lazy' $dir.log || fail "$dir: $(cat $dir.log)"
  right $dir/libkernels.so 1 2
done
