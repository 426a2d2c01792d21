#!/bin/bash
# A function that a late unit and another unit or object define is the linker's error, with both names. `ckjit build --check` compiles the
# host sides of late units, without kernels, and says which symbol is missing, of which unit, and which object needs it.
# With --verbose it prints the warnings that the build has not shown.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
need nm
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
body='static __global__ void k(int *p) { *p = 1; } static int note(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return x + 1; }'
for n in one two; do
  printf '%s\n' "$body" "int same(int x) { return note(x); } int of_$n(int x) { return same(x); }" >$n.cu
done
printf '%s\n' "$body" 'namespace a { int in_host(int x) { return note(x); } } int beside(int x) { return note(x); }' >unit.cu
compile one two unit
refused() { # OBJECTS…: the link fails, with a symbol and two objects
  if as_build c++ -o twice "$@" -Lcudart -lcudart; then fail "linked: $*"; fi
  has 'the linker says' 'multiple definition of' err
}
printf 'int of_one(int), of_two(int); int main() { return of_one(1) + of_two(1); }\n' >main.cpp
g++ -c main.cpp -o main.host
refused one.o two.o main.host
has 'the function' 'same(int)' err
for n in one two; do has "the unit $n" "$n" err; done
# nothing calls it
printf 'int main() { return 0; }\n' >none.cpp
g++ -c none.cpp -o none.host
refused one.o two.o none.host
printf 'namespace a { int in_host(int x) { return x; } } int beside(int); int main() { return a::in_host(1) + beside(1); }\n' >host.cpp
g++ -c host.cpp -o defines.host
refused unit.o defines.host
has 'the function' 'a::in_host(int)' err
has 'the object' 'defines.host' err
has 'the unit' 'unit' err
# an overload is no second definition
printf 'namespace a { int in_host(int x, int y) { return x + y; } } int beside(int); int main() { return a::in_host(1, 2) + beside(3) - 7; }\n' >overload.cpp
g++ -c overload.cpp -o overload.host
as_build c++ -o overload unit.o overload.host -Lcudart -lcudart || fail "overload: $(cat err)"
has 'an overload' '1 blob is lazy' home/work/overload/summary.txt
run ./overload || fail "overload ends with $?"

# ---- ckjit build --check
check() { # NAME WORDS…: what ckjit-prebuild says, in out and said; its exit status
  manifest=home/work/$1/ck_jit_manifest.json
  shift
  "$B/bin/ckjit" build --check --manifest "$manifest" --cache-dir checked "$@" >out 2>said
}
printf '%s\n' '#include <cuda_runtime.h>' 'template <int N> __global__ void big(int *p) { *p = N; }' \
  'int good(int x) { if (x < -1000) big<1><<<1, 1>>>(nullptr); return x; } namespace n { int also(double x) { return (int)x; } }' \
  '[[deprecated]] static int old() { return 1; } int older() { return old(); }' >good.cu
printf '%s\n' "$body" 'int lost_not(int x) { return note(x); }' '#ifdef NOT_DEFINED' 'int lost(int x) { return note(x); }' '#endif' >lost.cu
printf '%s\n' "$body" 'int broken(int x) { return note(x) + undeclared; }' >broken.cu
printf 'int good(int), lost(int), lost_not(int), broken(int); namespace n { int also(double); } int main() { return good(1) + n::also(2) + WHICH; }\n' >calls.cpp
compile good lost broken
g++ -DWHICH=0 -c calls.cpp -o good.host
g++ -DWHICH='lost(1)+lost_not(1)' -c calls.cpp -o lost.host
g++ -DWHICH='broken(1)' -c calls.cpp -o broken.host
for n in good lost broken; do
  objects=good.o
  [ $n = good ] || objects="good.o $n.o"
  # shellcheck disable=SC2086
  as_build c++ -o $n $objects $n.host -Lcudart -lcudart || fail "$n: $(cat err)"
done
check good --verbose || fail "good: $(cat out said)"
has 'its warning' 'is deprecated' said
has 'what it compiled' '1 compiled, 0 in the cache already, 0 failed' out
has 'what it checked' '2 functions checked, 0 missing' out
is 'without kernels' '' "$(find checked -name 'good.*.so' -exec nm -D {} + | grep big | grep -v device_stub || true)"
check good || fail "good, again: $(cat out said)"
has 'again' '0 compiled, 1 in the cache already, 0 failed' out
CK_JIT_CACHE_DIR="$PWD/checked" CK_JIT_ON_MISS=error run ./good || is 'a call does not compile' 3 $?
if check lost; then fail 'lost: nothing is missing'; fi
has 'the symbol, the unit, the object' '_Z4losti (lost(int)): ' said
has 'the symbol, the unit, the object' 'lost.cu does not define it; ' said
has 'the symbol, the unit, the object' 'lost.host needs it' said
has 'the others' '4 functions checked, 1 missing' out
if check broken; then fail 'broken: nothing fails'; fi
has 'the compiler says' 'undeclared' said
has 'the symbol, the unit, the object' '_Z6brokeni (broken(int)): ' said
has 'the symbol, the unit, the object' 'broken.cu does not compile; ' said
has 'the symbol, the unit, the object' 'broken.host needs it' said
