#!/bin/bash
# A late unit is loaded apart from its library, and a linker leaves no function to another object that an attribute hides: a unit that
# calls one is made with the library, whether the header says so by an attribute, by a macro, of a namespace or by a pragma, and whether
# the unit or an inline function of the header calls it. Other units of that header stay late.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
loading_main
cat >hidden.h <<'C'
#define PRIVATE __attribute__((visibility("hidden")))
__attribute__((visibility("hidden"))) int by_attribute(int);
PRIVATE int by_macro(int);
int behind(int) __attribute__((visibility("internal")));
namespace inner __attribute__((visibility("hidden"))) { int of(int); }
int open(int);
inline int leads(int x) { return by_attribute(x); }
C
cat >pushed.h <<'C'
#pragma GCC visibility push(hidden)
int pushed(int);
#pragma GCC visibility pop
int open(int);
C
cat >host.cpp <<'C'
#include "hidden.h"
#include "pushed.h"
int by_attribute(int x) { return x + 1; }
int by_macro(int x) { return x + 2; }
int behind(int x) { return x + 3; }
int inner::of(int x) { return x + 4; }
int open(int x) { return x + 5; }
int pushed(int x) { return x + 6; }
int unit(int);
extern "C" int run() { return unit(1); }
C
# unit NAME HEADER CALL FATE: a library whose unit calls CALL
unit() {
  printf '#include "%s"\nstatic __global__ void k(int *p) { *p = 1; }\nint unit(int x) { if (x == -777) k<<<1, 1>>>(nullptr); return 3 * %s; }\n' "$2" "$3" >unit.cu
  flags="-std=c++17 -O1 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90"
  # shellcheck disable=SC2086
  as_build nvcc $flags -c unit.cu -o unit.o && "$cuda/bin/nvcc" $flags -c unit.cu -o stock.o || fail "$1: $(cat err)"
  # shellcheck disable=SC2086
  as_build c++ -shared -o "$1.so" unit.o host.o $gpu_link && g++ -shared -o stock.so stock.o host.o $gpu_link || fail "$1: $(cat err)"
  cp stock.so lib.so
  run ./main >wanted || fail "stock $1 ends with $?"
  cp "$1.so" lib.so
  run ./main >found 2>said || fail "$1: $(cat said)"
  is "$1" "$(cat wanted)" "$(cat found)"
  has "$1" "$4" "home/work/$1/summary.txt"
}
g++ -std=c++17 -fPIC -c host.cpp -o host.o || fail host.cpp
unit attribute hidden.h 'by_attribute(x)' 'it needs _Z12by_attributei, which an attribute hides'
unit macro hidden.h 'by_macro(x)' 'it needs _Z8by_macroi, which an attribute hides'
unit behind hidden.h 'behind(x)' 'it needs _Z6behindi, which an attribute hides'
unit namespace hidden.h 'inner::of(x)' 'it needs _ZN5inner2ofEi, which an attribute hides'
unit inline hidden.h 'leads(x)' 'it needs _Z12by_attributei, which an attribute hides'
unit pushed pushed.h 'pushed(x)' 'it needs _Z6pushedi, which an attribute hides'
unit open hidden.h 'open(x)' '1 blob is lazy (1 function'
unit beside pushed.h 'open(x)' '1 blob is lazy (1 function'
