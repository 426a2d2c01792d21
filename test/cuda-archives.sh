#!/bin/bash
# CUDA's blobs in archives, in links by nvcc and by the host's compiler: a library that needs
# nothing of an archive has nothing of it, a function
# that comes before wins, --exclude-libs hides it, and a kernel that needs another member of its
# archive becomes an ordinary unit there.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
need ar ranlib nm
flags='-O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
echo 'template <int N> int run_(int *p); int helper(int n);' >k.h
blob() { # NUMBER RESULT
  cat >"k$1.cu" <<C
#include "k.h"
template <int N> static __global__ void fill(int *p) { *p = N; }
template <> int run_<$1>(int *p) {
  fill<$1><<<1, 1>>>(p);
  return $2 + cudaGetLastError();
}
C
  # shellcheck disable=SC2086 # words
  as_build nvcc $flags -c "k$1.cu" -o "k$1.o" || fail "k$1.cu: $(cat err)"
}
blob 1 1
blob 2 'helper(2)'
object() { # NAME, of the text on standard input
  cat >"$1.cpp"
  as_build c++ -O2 -fPIC -c "$1.cpp" -o "$1.o" || fail "$1.cpp: $(cat err)"
}
echo 'int helper(int n) { return 100 * n; }' | object helper
echo 'extern "C" int run() { return 4; }' | object none
printf '#include "k.h"\nextern "C" int run() { return run_<1>(nullptr); }\n' | object one
printf '#include "k.h"\nextern "C" int run() { return run_<2>(nullptr); }\n' | object two
printf 'int own(int *) __asm__("_Z4run_ILi1EEiPi");\nint own(int *) { return -1; }\n' | object mock
ar rc libk.a k1.o k2.o helper.o
loading_main
# link RESULT EXPORTS WORDS…: lib.so of these, by both; run() gives RESULT, and so many kernels'
# functions are exported
link() {
  result=$1 exports=$2
  shift 2
  for by in nvcc c++; do
    rm -f lib.so
    case $by in
    nvcc) # shellcheck disable=SC2086 # words
      as_build nvcc -shared $flags "${@/-Wl,/-Xlinker=}" -o lib.so -cudart=shared -Lcudart ;;
    c++) as_build c++ -shared "$@" -o lib.so -Lcudart -lcudart ;;
    esac || fail "$by $*: $(cat err)"
    is "$by $*: exported" "$exports" "$(nm -D --defined-only lib.so | grep -c '_Z4run_I')"
    run ./main >out 2>said || fail "$by $*: $(cat out said)"
    is "$by $*: result" "$result" "$(cat out)"
  done
}
link 4 0 none.o libk.a
link 1 1 one.o libk.a
link 1 0 one.o -Wl,--exclude-libs,libk.a -L. -lk
link -1 1 one.o mock.o -L. -lk
link 200 1 two.o libk.a
