#!/bin/bash
# A variable that a late unit defines stays in the unit, if nothing runs for it when a library is loaded, and if nothing in the library needs it nor
# another library may: in a program, a Python module, or with -fvisibility=hidden. It is not the program's of the same name. Another object that
# needs it keeps the unit with the library, as a library that shows it does; the results are the compiler's own.
# tier: all
# seconds: 40
# shellcheck disable=SC2086,SC2154 # words
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O1 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
unit() { # NAME: NAME.cu
  cat >$1.cu <<C
#include <string>
static __global__ void k(int *p) { *p = 1; }
int $1_count = 3;
thread_local std::string $1_last = "none";
namespace $1_state { int levels[2] = {1, 2}; }
int $1(int x) {
  if (x == -777) k<<<1, 1>>>(nullptr);
  $1_last += std::to_string(x);
  return ($1_count += x) + (int)$1_last.size() + ($1_state::levels[1] += x);
}
C
}
unit first
unit second
cat >host.cpp <<'C'
int first(int), second(int);
extern "C" __attribute__((visibility("default"))) int run() { return first(1) + 3 * second(2) + 5 * first(3); }
C
echo 'extern int second_count; extern "C" int count() { return second_count; }' >needs.cpp
echo 'extern "C" __attribute__((visibility("default"))) void *PyInit_lib() { return nullptr; }' >module.cpp
cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
int first_count = 1000;
extern "C" int count() __attribute__((weak));
int main() {
  void *h = dlopen("./lib.so", RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  int (*run)() = (int (*)())dlsym(h, "run"), (*count)() = (int (*)())dlsym(h, "count");
  for (int i = 0; i < 2; i++) printf("%d %d %d\n", run(), count ? count() : 0, first_count);
}
C
g++ -rdynamic main.cpp -o main -ldl $gpu_link || fail main.cpp
for name in host needs module; do g++ -O1 -fPIC -fvisibility=hidden -c $name.cpp -o $name.host || fail $name.cpp; done
compile() { # HIDE…
  for name in first second; do
    as_build nvcc $flags ${1:+-Xcompiler $1} -c $name.cu -o $name.o || fail "$name: $(cat err)"
    $cuda/bin/nvcc $flags ${1:+-Xcompiler $1} -c $name.cu -o stock-$name.o || fail "stock $name"
  done
}
# same WHAT SUMMARY OBJECTS…: the link says SUMMARY, and the library is as the compiler's
same() {
  what=$1 wanted=$2
  shift 2
  rm -rf cache
  CK_JIT_SUMMARY=1 as_build c++ -shared -o lazy.so first.o second.o host.host "$@" $gpu_link || fail "$what: $(cat err)"
  has "$what: late" "$wanted" err
  g++ -shared -o stock.so stock-first.o stock-second.o host.host "$@" $gpu_link || fail "stock $what"
  cp stock.so lib.so && run ./main >stock.said || fail "stock $what ends with $?"
  cp lazy.so lib.so && run ./main >found 2>said || fail "$what ends with $?: $(cat found said)"
  is "$what" "$(cat stock.said)" "$(cat found)"
}
compile -fvisibility=hidden
same hidden '2 blobs are lazy'
same 'another object needs one' '1 blob is lazy' needs.host
has 'which one' 'needs.host needs second_count of it, which is no function' home/work/lazy/summary.txt
compile
same 'a library that shows it' '2 ordinary units, lazy'
has 'why' 'nothing in this library uses first_count, and another may' home/work/lazy/summary.txt
sed -i 's/first_count/other_count/' main.cpp # the program's would be that of a regular module, too
g++ -rdynamic main.cpp -o main -ldl $gpu_link || fail main.cpp
same 'a Python module' '2 blobs are lazy' module.host
# two units that define one: the linker refuses them
sed 's/first_state/second_state/; s/first(/second(/' first.cu >second.cu
compile -fvisibility=hidden
as_build c++ -shared -o lazy.so first.o second.o host.host $gpu_link && fail 'two units define one variable'
has 'two units define one' 'multiple definition of `first_count' err
