# fragments_fixture.sh - kernels of units with relocatable device code beside nvcc's: source it behind gpu/fixture.sh, with the test's own
#
#   form      link libone.so of entry.o, parts.o and filter.o, by the nvcc of the path
#
#   stock     $T/stock/libone.so, by nvcc, of the three objects
#   compare   the lazy library prints what stock's does, each kernel linked at its first launch; a second process links nothing
# shellcheck shell=sh disable=SC2154
link_objects() { nvcc "-arch=sm_$arch" -rdc=true -shared entry.o parts.o filter.o -o libone.so; }
build() (
  mkdir "$1" && cp "$here"/gpu/entry.cu "$here"/gpu/parts.cu "$here"/gpu/filter.cu "$1" && cd "$1" && link=$2 && shift 2 || exit
  for unit in entry parts filter; do
    nvcc -std=c++17 -O2 "-arch=sm_$arch" -rdc=true -Xcompiler -fPIC "$@" -c "$unit.cu" -o "$unit.o" || exit
  done
  $link
)
# compare NAME OPTION…: both libraries in directories of that name; with options of nvcc's
compare() {
  name=$1
  shift
  build "stock$name" link_objects "$@" || fail "nvcc's library failed"
  lazy "lazy$name" form "$@" || fail 'the lazy library failed'
  for case_ in search pointer alone times together; do
    ./calls "./stock$name/libone.so:$case_" >stock.out 2>&1 || fail "stock, $case_: $(cat stock.out)"
    CK_JIT_VERBOSE=1 ./calls "./lazy$name/libone.so:$case_" >lazy.out 2>lazy.err || fail "$case_: $(cat lazy.out lazy.err)"
    is "$case_" "$(cat stock.out)" "$(cat lazy.out)"
    has "$case_ was compiled now" 'compiling' lazy.err
    is "$case_ in a second process" "$(cat stock.out)" "$(CK_JIT_ON_MISS=error ./calls "./lazy$name/libone.so:$case_" 2>&1)"
    echo "$case_ is the same"
  done
}
