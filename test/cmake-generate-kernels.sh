#!/bin/sh
# find_package(ckjit) and ckjit_generate_kernels(): sources of a matrix as those of a target, with a language; made again when the matrix changes. A
# project that has no language for them is an error, and so is whatever the generator refuses.
# tier: all
# seconds: 5
. "${0%/*}/common.sh"
need cmake g++ make
mkdir "$T/project" && cd "$T/project"
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
find_package(ckjit 0.1 REQUIRED)
ckjit_generate_kernels(kernels NAME_FORMAT "kernel_@n@" MATRIX_JSON_FILE matrix.json KERNEL_INPUT_FILE "kernel.${EXTENSION}.in" OUTPUT_DIR gen ${MORE})
list(LENGTH kernels n)
message(STATUS "${n} kernels")
add_executable(p main.cpp ${kernels})
C
echo '{"n": ["1", "2"]}' >matrix.json
echo 'template <int> int kernel(); template <> int kernel<@n@>() { return @n@; }' >kernel.cpp.in
cp kernel.cpp.in kernel.cu.in
echo 'template <int> int kernel(); int main() { return kernel<1>() + kernel<2>() != 3; }' >main.cpp
configure() { cmake -S . -B "$T/b" "-DCMAKE_PREFIX_PATH=$B" "$@" >"$T/out" 2>&1; }

configure -DEXTENSION=cpp || fail "configure: $(cat "$T/out")"
has 'how many' '2 kernels' "$T/out"
cmake --build "$T/b" >"$T/out" 2>&1 || fail "build: $(cat "$T/out")"
"$T/b/p" || fail 'the program has other kernels'

# the matrix changes: the build configures again
sleep 1
echo '{"n": ["1", "2", "3"]}' >matrix.json
echo 'template <int> int kernel(); int main() { return kernel<1>() + kernel<2>() + kernel<3>() != 6; }' >main.cpp
cmake --build "$T/b" >"$T/out" 2>&1 || fail "build again: $(cat "$T/out")"
"$T/b/p" || fail 'the third kernel is another'

# what CMake would leave out without a word
rm -rf "$T/b"
! configure -DEXTENSION=cu || fail "a project without CUDA: $(cat "$T/out")"
tr -s ' \n' ' ' <"$T/out" >"$T/line"
has 'no language' 'the project has the languages CXX; expected CUDA or HIP' "$T/line"
configure -DEXTENSION=cu '-DMORE=LANGUAGE;CXX' || fail "with a language: $(cat "$T/out")"
cmake --build "$T/b" >"$T/out" 2>&1 || fail "build of .cu as C++: $(cat "$T/out")"
"$T/b/p" || fail 'the program of .cu has other kernels'

# the arguments of cuVS's function: several calls with one variable, a tag, and a target of their own with its settings
mkdir cuvs && cat >cuvs/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
find_package(ckjit 0.1 REQUIRED)
add_library(requirements INTERFACE)
target_compile_definitions(requirements INTERFACE OF_REQUIREMENTS=100)
target_include_directories(requirements INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}")
ckjit_generate_kernels(
  kernels
  NAME_FORMAT "scan_@n@"
  MATRIX_JSON_STRING [[{"n": ["1", "2"], "type": "int"}]]
  KERNEL_INPUT_FILE "${CMAKE_CURRENT_SOURCE_DIR}/kernel.cpp.in"
  FRAGMENT_TAG_FORMAT "tags::scan<@n@, tags::of_@type@>"
  FRAGMENT_TAG_HEADER_FILES "<tags.h>" more.h
  OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/gen"
  KERNEL_LINK_LIBRARIES requirements
  KERNEL_EXTRA_COMPILE_OPTIONS -DOF_OPTIONS=10)
ckjit_generate_kernels(kernels NAME_FORMAT "@m@" MATRIX_JSON_STRING [[{"m": "third"}]] KERNEL_INPUT_FILE third.cpp.in OUTPUT_DIRECTORY gen)
add_executable(p main.cpp ${kernels})
C
cd cuvs
echo 'namespace tags { struct of_int {}; template <int, class T> struct scan {}; }' >tags.h
echo '#define AFTER_TAGS 1' >more.h
echo 'template <int> int kernel(); template <> int kernel<@n@>() { return @n@ + OF_REQUIREMENTS + OF_OPTIONS; }' >kernel.cpp.in
echo 'int @m@() { return 3; }' >third.cpp.in
echo 'template <int> int kernel(); int third(); int main() { return kernel<1>() + kernel<2>() + third() != 226; }' >main.cpp
rm -rf "$T/b"
configure || fail "as cuVS: $(cat "$T/out")"
cmake --build "$T/b" >"$T/out" 2>&1 || fail "build as cuVS: $(cat "$T/out")"
"$T/b/p" || fail 'other kernels than with the settings of their target'
printf '%s\n' '#include <tags.h>' '#include "more.h"' 'using ckjit_fragment = tags::scan<2, tags::of_int>;' >"$T/tag"
tail -n 3 "$T/b/gen/scan_2.cpp" | diff "$T/tag" - || fail 'the tag'
cd ..

refused() {
  what=$1 words=$2
  shift 2
  rm -rf "$T/b"
  ! configure "$@" || fail "$what: it is taken"
  tr -s ' \n' ' ' <"$T/out" >"$T/line"
  has "$what" "$words" "$T/line"
}
refused 'a language that is not enabled' 'expected HIP' -DEXTENSION=cu '-DMORE=LANGUAGE;HIP'
refused 'a word too many' 'NONSENSE: unknown' -DEXTENSION=cpp -DMORE=NONSENSE
refused 'no template' 'kernel.cxx.in' -DEXTENSION=cxx
refused 'headers without a tag' 'FRAGMENT_TAG_HEADER_FILES needs FRAGMENT_TAG_FORMAT' -DEXTENSION=cpp '-DMORE=FRAGMENT_TAG_HEADER_FILES;a.h'
refused 'a tag with a variable that is not there' '@none@' -DEXTENSION=cpp '-DMORE=FRAGMENT_TAG_FORMAT;tag<@none@>'
refused 'two matrices' 'expected one of them' -DEXTENSION=cpp '-DMORE=MATRIX_JSON_STRING;{}'
echo '{"m": ["1"]}' >matrix.json
refused 'a variable that is not there' '@n@' -DEXTENSION=cpp
