#!/bin/sh
# A check of a configuration is for the compiler to answer: conftest.*, and what is in the
# directories in which CMake, Meson, waf and SCons try compilers, is neither recorded nor a lazy
# unit. Nor is a unit whose warnings are to be errors.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/hip_words_fixture.sh"
hipcc() {
  : >calls
  "$T/h/bin/hipcc" "$@"
}
kind() { kinds "$T/h" | tail -n 1; }
# kind_is KIND WHAT WORDS…: the call becomes KIND; the real compiler gets just this call, unless it
# is lazy
kind_is() {
  want=$1 what=$2
  shift 2
  hipcc "$@" || fail "$what: ends with status $?"
  is "$what" "$want" "$(kind)"
  case $want in
  other | host) is "$what: the compiler's call" "$*" "$(cat calls)" ;;
  esac
}
arch=--offload-arch=gfx942
export CPATH="$T"
cat >unit.hip <<'C'
__attribute__((global)) void k(int *p) { *p = 1; }
int op(int *p) { return *p; }
C
echo 'template <int N> int run(int n);' >run.h
printf '#include "run.h"\ntemplate <> int run<1>(int n) { return n; }\n' >blob.hip
kind_is unit 'a unit' $arch -O2 -c unit.hip -o unit.o
kind_is blob 'a blob' $arch -O2 -c blob.hip -o blob.o

# by the source's name, or a directory's, of the source or the call
for name in unit blob; do
  for to in conftest.hip conftest_1.hip b/CMakeFiles/CMakeScratch/TryCompile-x/src.hip b/CMakeFiles/CMakeTmp/x.hip \
    b/CMakeFiles/3.25.1/CompilerIdHIP/id.hip b/meson-private/tmp1/testfile.hip b/.conf_check_0/test.hip b/.sconf_temp/x.hip; do
    mkdir -p "$(dirname "$to")"
    cp $name.hip $to
    kind_is other "$name as $to" $arch -O2 -c $to -o $name.o
  done
  (cd b/CMakeFiles/CMakeTmp && kind_is other "$name in a directory of CMake's" $arch -c "$T/$name.hip" -o $name.o)
  cp $name.hip not-conftest.hip
  [ $name = blob ] || kind_is unit 'another name' $arch -O2 -c not-conftest.hip -o $name.o
  cp $name.hip conftest
  kind_is other 'a source from standard input' $arch -c -x hip - -o $name.o <$name.hip
done

# warnings that are errors
for word in -Werror -Werror=unused-function -pedantic-errors; do
  kind_is host "$word" $arch $word -O2 -c unit.hip -o unit.o
  "$B/bin/ckjit-build" explain h unit >explained 2>&1
  has "explain, of $word" "    as an ordinary unit it is not lazy: $word asks for errors of warnings, and those of its kernels come later" explained
done
kind_is unit 'warnings that are none' $arch -Wall -Wno-error=unused-function -O2 -c unit.hip -o unit.o
