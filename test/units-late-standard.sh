#!/bin/bash
# An object needs a member of the standard library with the name of a function that a header of a late unit may define by a macro: the
# unit stays late. If the object needs that function itself, it does not.
# tier: check
# seconds: 6
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
printf '#ifdef OWN\n#define INLINE\n#else\n#define INLINE static inline\n#endif\nINLINE int init(int x) { return x + 1; }\n' >lib.h
printf '#include "lib.h"\nstatic __global__ void k(int *p) { *p = 1; }\nint unit(int x) { if (x == -777) k<<<1, 1>>>(nullptr); return init(x); }\n' >unit.cu
printf '#include <ios>\nint unit(int);\nstruct stream : std::ios { stream() { init(nullptr); } };\nint main() { stream s; return unit(1) - 2 + !s.bad(); }\n' >main.cpp
printf 'int unit(int), init(int);\nint main() { return unit(1) + init(1) - 4; }\n' >own.cpp
# link NAME OPTION SAYS
link() {
  # shellcheck disable=SC2086
  as_build nvcc $flags $2 -c unit.cu -o unit.o || fail "$1: $(cat err)"
  g++ -O2 -c "$1.cpp" -o "$1.host" || fail "$1.cpp"
  # shellcheck disable=SC2086
  as_build c++ -o "$1" unit.o "$1.host" $gpu_link || fail "$1: $(cat err)"
  run "./$1" >said 2>&1 || fail "$1 ends with $?: $(cat said)"
  has "$1" "$3" "home/work/$1/summary.txt"
}
link main '' '1 blob is lazy (1 function'
nm main.host | grep -q ' U _ZNSt9basic_iosIcSt11char_traitsIcEE4initE' || fail 'main.cpp does not need basic_ios::init'
link own -DOWN '1 ordinary unit, lazy'
