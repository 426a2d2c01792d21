#!/bin/sh
# What builds ask the tools before they compile (version, target, search paths, macros, what would be run): the fake home's
# programs answer as the real ones do, in exit status, output and errors; only the home's own path is another, and the
# status of a bare -v after which the version was printed, for which some compilers fail: it is 0.
# tier: all
# seconds: 29
. "${0%/*}/common.sh"
need_hipcc
need c++ g++ hipconfig
cd "$T"
"$B/bin/ckjit-build" home --dir "$T/h" >exports
echo 'int main() {}' >m.cpp
echo 'int g;' >k.hip
real_home=$(sed -n 's/^real_home=//p' h/ckjit.conf)
asked=0
# normal FILE: without the home's own names, and those of temporary files
normal() {
  sed -E "s|$T/h/bin:||g; s|$T/h|$real_home|g; /^(HIPCXX|CXX|CUDACXX|CUDAHOSTCXX)=/d
    s|/tmp/[A-Za-z0-9_.-]+-[0-9a-f]{6}|TEMPORARY|g; s|/tmp/cc[A-Za-z0-9]{6}|TEMPORARY|g" "$1"
}
# ask REAL FAKE WORD…: both, and compare
ask() {
  real_=$1 fake_=$2 status_=0 ours_=0
  shift 2
  "$real_" "$@" <m.cpp >stock.out 2>stock.err || status_=$?
  # shellcheck source=/dev/null
  (. ./exports && exec "$fake_" "$@" <m.cpp >our.out 2>our.err) || ours_=$?
  asked=$((asked + 1))
  [ "$*" != -v ] || ! grep -q version stock.out stock.err || status_=0
  [ $status_ = $ours_ ] || fail "${fake_##*/} $*: status $ours_, and stock $status_: $(cat our.err)"
  for what_ in out err; do
    normal stock.$what_ >want
    normal our.$what_ >got
    # the name that a program was started by
    sed -i "s|${fake_##*/}|${real_##*/}|g" got
    cmp -s want got || fail "${fake_##*/} $*: $(diff want got | head -n 10)"
  done
}
# questions REAL FAKE: those that gcc, clang and hipcc all take, or all refuse
questions() {
  for words in '' -v --version -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld '-### m.cpp' '-### -c k.hip -o k.o' \
    '-E -dM -' '-E -v -x c++ -' '-Wl,--version' '-v -c m.cpp -o m.o' 'm.cpp -v -o m' '-c none.cpp' --no-such-option; do
    # shellcheck disable=SC2086 # words
    ask "$1" "$2" $words
  done
}
cxx=$(command -v c++)
clang=$(sed -n 's/^clang=//p' h/ckjit.conf)
hipcc=$(sed -n 's/^real_compiler=//p' h/ckjit.conf)
questions "$hipcc" "$T/h/bin/hipcc"
for words in --cxx --cxxflags --ldflags --short-version; do
  # shellcheck disable=SC2086 # words
  ask "$hipcc" "$T/h/bin/hipcc" $words
done
questions "$(command -v g++)" "$T/h/bin/g++"
ask "$cxx" "$T/h/bin/ckjit-cxx" -v
ask "$cxx" "$T/h/bin/ckjit-cxx" --version
[ -z "$clang" ] || questions "$clang" "$T/h/bin/amdclang++"
for word in --version --cpp_config --rocmpath --path --compiler --platform --runtime --hipclangpath --full --no-such-option; do
  ask "$(command -v hipconfig)" "$T/h/bin/hipconfig" "$word"
done
[ $asked -gt 45 ] || fail "only $asked questions"
[ ! -e h/work/manifest.json.ndjson ] || lacks 'a question was recorded' '"kind":"blob"' h/work/manifest.json.ndjson

# a C++ compiler that prints its version and fails, and one that only fails
# says TEXT STATUS: the C++ compiler, for `-v`
says() {
  printf '#!/bin/sh\necho output\necho "%s" >&2\nexit %s\n' "$1" "$2" >cxx
  chmod +x cxx
  status_=0
  CK_JIT_CXX=$T/cxx "$T/h/bin/ckjit-cxx" -v >out 2>err || status_=$?
  is "-v prints" "output $1" "$(cat out err | paste -sd ' ')"
}
says "clang version 20.0.0" 1
is "with a version" 0 $status_
says "error: no input files" 3
is "without one" 3 $status_
! CK_JIT_CXX=$T/cxx "$T/h/bin/ckjit-cxx" -v m.cpp >out 2>&1 || fail "-v with a source: status 0"
