#!/bin/bash
# What a late unit exports is what the compiler's own library exports (nm -D): with -fvisibility=hidden, what an attribute or a macro of
# a header shows, and no explicit instantiation, also one that a header declares `extern template`; a function of C linkage that
# nothing in the library calls has a stub as well, and dlsym finds it. What a header declares weak is weak. gcc shows a specialisation
# of a function template whose body it has not seen.
# tier: check
# seconds: 13
# shellcheck disable=SC2154,SC2086
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
names() { nm -D --defined-only "$1" | awk '$2 ~ /[TW]/ && $3 !~ /ckjit/ { print $3 ($3 ~ /weak/ ? " " $2 : "") }' | sort; }
# both NAME HIDE UNIT…: libraries NAME.so and stock-NAME.so of units and the caller NAME.cpp
both() {
  name=$1 hide=$2 objects='' stock=''
  shift 2
  for unit in "$@"; do
    flags="-std=c++17 -O1 -Xcompiler -fPIC${hide:+,$hide} -gencode arch=compute_90,code=sm_90"
    as_build nvcc $flags -c "$unit.cu" -o "$unit.o" || fail "$unit.cu: $(cat err)"
    "$cuda/bin/nvcc" $flags -c "$unit.cu" -o "stock-$unit.o" || fail "$unit.cu: nvcc"
    objects="$objects $unit.o" stock="$stock stock-$unit.o"
  done
  g++ -std=c++17 -O1 -fPIC $hide -c "$name.cpp" -o "$name.host" || fail "$name.cpp"
  as_build c++ -shared -o "$name.so" $objects "$name.host" $gpu_link || fail "$name: $(cat err)"
  g++ -shared -o "stock-$name.so" $stock "$name.host" $gpu_link || fail "stock $name"
  cp "stock-$name.so" lib.so
  run ./main >wanted || fail "stock $name ends with $?"
  cp "$name.so" lib.so
  run ./main >found 2>said || fail "$name: $(cat said)"
  is "what $name returns" "$(cat wanted)" "$(cat found)"
  names "stock-$name.so" >wanted
  names "$name.so" >found
  diff wanted found >differ || fail "$name exports: $(cat differ)"
}
loading_main

cat >forms.h <<'C'
#define API __attribute__((visibility("default")))
#define ALSO API
template <class T> int run(T x);
extern template int run<int>(int);
template <int N> int bodiless(int x);
template <int N> int bodied(int x) { return x + N; }
template <class T> struct member { template <int N> int of(int x); };
template <class T> struct box { T v; int get(T x); static int once(); };
extern template struct box<int>;
int plain(int), typed(int);
API int shown(int);
int behind(int) __attribute__((visibility("default")));
struct ALSO shown_class { int v; int get(int); };
namespace ns API { int within(int); }
namespace ns2 { int quiet(int); API int idle(int); int other(int); }
C
head='#include "forms.h"
static __global__ void k(int *p) { *p = 1; }
static int note(int x) { if (x == -777) k<<<1, 1>>>(nullptr); return 3 * x + 1; }'
cat >inner.cu <<C
$head
template <class T> int run(T x) { return note(x); }
template int run<int>(int);
template <class T> int box<T>::get(T x) { return note(x + v); }
template <class T> int box<T>::once() { return note(4); }
template struct box<int>;
template <> int bodiless<3>(int x) { return note(x); }
int bodiless(int x) { return note(x + 1); }
template <> int bodied<3>(int x) { return note(x); }
template <> template <> int member<int>::of<3>(int x) { return note(x); }
template <class T> int local(T x);
template <> int local<int>(int x) { return note(x); }
int plain(int x) { return note(x); }
C
cat >shown.cu <<C
$head
int shown(int x) { return note(x); }
int behind(int x) { return note(x); }
int shown_class::get(int x) { return note(v); }
int ns::within(int x) { return note(4); }
int ns2::quiet(int x) { return note(5); }
#define T1 int
#define T2 T1
T2 typed(T1 x) { return note(x); }
C
printf '%s\n' "$head" 'int ns2::idle(int x) { return note(x); }' 'int ns2::other(int x) { return note(x); }' >idle.cu
cat >hidden.cpp <<'C'
#include "forms.h"
int bodiless(int);
template <> int bodied<3>(int);
template <class T> int local(T x);
extern "C" API int run() {
  return bodiless<3>(1) + bodiless(2) + bodied<3>(3) + member<int>().of<3>(2) + local(3) + run(1) + box<int>{2}.get(3) + box<int>::once() + plain(3) + shown(4) + behind(5) + shown_class{5}.get(3) + ns::within(3) + ns2::quiet(3) +
         ns2::other(2) + typed(6);
}
C
both hidden -fvisibility=hidden inner shown idle
has 'hidden' '2 blobs are lazy (15 functions' home/work/hidden/summary.txt
has 'hidden: why' 'idle.cu: line 4: nothing in this library calls idle, and another may' home/work/hidden/summary.txt

printf '__attribute__((weak)) int weakly(int);\n' >weak.h
printf '%s\n' '#include "weak.h"' "$head" 'int weakly(int x) { return note(x); }' 'int called(int x) { return note(x); }' 'extern "C" int c_idle(int x) { return note(x); }' >open.cu
printf '%s\n' '#include "weak.h"' 'int called(int);' 'extern "C" int run() { return called(3) + (weakly ? weakly(2) : 0); }' >open.cpp
both open '' open
has 'open' '1 blob is lazy (3 functions' home/work/open/summary.txt
printf '%s\n' '#include <dlfcn.h>' 'int main(void) { return ((int (*)(int))dlsym(dlopen("./lib.so", RTLD_NOW), "c_idle"))(5); }' >asks.c
gcc asks.c -o asks -ldl
is 'found by dlsym' 16 "$(run ./asks >out 2>said || echo $?)"
