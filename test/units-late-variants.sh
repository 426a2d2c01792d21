#!/bin/bash
# A library exports each kind of a constructor and destructor that a late unit defines, also those that nothing in the library needs: what
# is linked with it later derives from the class. A thunk that a virtual table demands is forwarded as well.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
need nm
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
cat >lib.h <<'C'
struct C1 { long n; C1(long); C1(int, int); ~C1(); long get(); };
namespace C1C1 { struct [[gnu::abi_tag("new")]] D2 { long n; D2(long, C1 &); ~D2(); }; }
struct base { long n = 1; virtual long key() { return 1; } };
struct other { virtual long get(long x) { return x; } };
struct both : base, other { long key() override; long get(long x) override; };
long call();
C
cat >unit.cu <<'C'
#include "lib.h"
static __global__ void k(int *p) { *p = 1; }
static long note(long x) { if (x < -1000) k<<<1, 1>>>(nullptr); return 3 * x + 1; }
C1::C1(long x) : n(note(x)) {}
C1::C1(int x, int y) : n(note(x + y)) {}
C1::~C1() { n = 0; }
long C1::get() { return n; }
C1C1::D2::D2(long, C1 &of) : n(note(of.n)) {}
C1C1::D2::~D2() { n = 0; }
long both::get(long x) { return note(x + n); }
C
cat >host.cpp <<'C'
#include "lib.h"
long both::key() { return 2; }
static long of(other &o) { return o.get(5); }
long call() {
  C1 one(3), two(1, 2);
  C1C1::D2 three(1, one);
  both b;
  return one.get() + two.get() + three.n + of(b);
}
C
cat >main.cpp <<'C'
#include "lib.h"
#include <cstdio>
struct derived : C1, C1C1::D2 { derived() : C1(4), D2(1, *this) {} };
int main() { derived d; printf("%ld %ld %ld\n", call(), d.get(), d.D2::n); }
C
g++ -std=c++17 -fPIC -c host.cpp -o host.host || fail host.cpp
# shellcheck disable=SC2086
as_build nvcc $flags -c unit.cu -o unit.o || fail "unit.cu: $(cat err)"
# shellcheck disable=SC2086
"$cuda/bin/nvcc" $flags -c unit.cu -o stock-unit.o || fail 'unit.cu: nvcc'
g++ -shared -o libstock.so host.host stock-unit.o -Lcudart -lcudart || fail 'stock: the link'
CK_JIT_SUMMARY=1 as_build c++ -shared -o libours.so host.host unit.o -Lcudart -lcudart || fail "the link: $(cat err)"
has 'it is late' '1 blob is lazy' err
kinds() { nm -D --defined-only "$1" | awk '{ print $3 }' | grep -E '2C1|4both' | sort; }
is 'the exported kinds' "$(kinds libstock.so)" "$(kinds libours.so)"
for of in stock ours; do
  g++ -std=c++17 -o main-$of main.cpp -L. -l$of -Wl,-rpath,"$PWD" -Lcudart -lcudart || fail "$of: what is linked with it"
  run ./main-$of >$of.out || fail "main-$of ends with $?"
done
is 'what it prints' "$(cat stock.out)" "$(cat ours.out)"
# a constructor that is needed is no call of another, nor of the destructor
cat >few.cpp <<'C'
#include "lib.h"
long call() { return (new C1(3))->get(); }
C
g++ -std=c++17 -fPIC -c few.cpp -o few.host
CK_JIT_SUMMARY=1 as_build c++ -shared -o few.so few.host unit.o -Lcudart -lcudart || fail "few: $(cat err)"
has 'what is not called' 'nothing in this library calls' err
