#!/bin/sh
# ckjit_generate_kernels() in two directories of one project, each with a find_package(ckjit) of its own, in paths with blanks, with Ninja and make: an edit of the
# template makes its own sources anew, an edit of the matrix only the source that is another then. Without the program no find_package finds ckjit.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
need cmake g++ make ninja
mkdir -p "$T/a project/one" "$T/a project/two words" && cd "$T/a project"
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
add_subdirectory(one)
add_subdirectory("two words")
C
for d in one 'two words'; do
  cat >"$d/CMakeLists.txt" <<'C'
find_package(ckjit REQUIRED)
ckjit_generate_kernels(kernels NAME_FORMAT "kernel of @n@" MATRIX_JSON_FILE "a matrix.json" KERNEL_INPUT_FILE "a kernel.cpp.in" OUTPUT_DIR "made here")
get_filename_component(name "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
string(REPLACE " " "_" name "${name}")
add_library(${name} OBJECT ${kernels})
C
  echo '{"_n": [{"n": "1", "value": "10"}, {"n": "2", "value": "20"}]}' >"$d/a matrix.json"
  echo 'int kernel_@n@() { return @value@; }' >"$d/a kernel.cpp.in"
done
configure() { cmake -S . -B "$T/b" "-DCMAKE_PREFIX_PATH=$B" "$@" >"$T/out" 2>&1; }
# What a build compiles, as DIRECTORY/NUMBER
compiled() {
  cmake --build "$T/b" --verbose >"$T/out" 2>&1 || fail "build: $(cat "$T/out")"
  sed -n "s,.* -c .*/b/\(one\|two words\)/made here/kernel of \([12]\)\.cpp[\"']*\$,\1/\2,p" "$T/out" | sort | tr '\n' ' '
}
for generator in Ninja 'Unix Makefiles'; do
  rm -rf "$T/b"
  configure -G "$generator" || fail "$generator: $(cat "$T/out")"
  is "$generator: at first" 'one/1 one/2 two words/1 two words/2 ' "$(compiled)"
  is "$generator: again" '' "$(compiled)"
  sleep 1 # make looks at whole seconds
  sed -i 's/"20"/"21"/' 'one/a matrix.json'
  is "$generator: an edit of a matrix" 'one/2 ' "$(compiled)"
  sleep 1
  echo '// edited' >>'two words/a kernel.cpp.in'
  is "$generator: an edit of a template" 'two words/1 two words/2 ' "$(compiled)"
  sed -i 's/"21"/"20"/' 'one/a matrix.json'
done

# an installation that has lost its program is none, in the second directory as in the first
mkdir -p "$T/lost/share/cmake"
cp -r "$B/share/cmake/ckjit" "$T/lost/share/cmake/"
sed -i 's/ REQUIRED)/)\nmessage(STATUS "found: ${ckjit_FOUND}")\nreturn()/' one/CMakeLists.txt 'two words/CMakeLists.txt'
rm -rf "$T/b"
cmake -S . -B "$T/b" "-DCMAKE_PREFIX_PATH=$T/lost" >"$T/out" 2>&1 || fail "lost: $(cat "$T/out")"
is 'asked for twice' 2 "$(grep -c 'found:' "$T/out")"
is 'without the program' 0 "$(grep -ci 'found: \(true\|1\)' "$T/out")"
