#!/bin/bash
# Two late units have a kernel of one name, with other parameters: each launches its own, and both stay late. A unit that launches the
# kernel of another one is made with the library.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -Xcompiler -fPIC'
# The link compiles one.cu for the host, as it calls a function with the name of a kernel of two.cu, and has its own kernels undefined.
printf '__global__ void clean(int *p) { *p = 1; }\nstatic int mark(int x) { return x + 1; }\nint one(int x) { if (x == -777) clean<<<1, 1>>>(nullptr); return mark(x); }\n' >one.cu
printf '__global__ void clean(int *p, bool all) { *p = all; }\n__global__ void mark(int *p) { *p = 2; }\nint two(int x) { if (x == -777) clean<<<1, 1>>>(nullptr, true); return x + 2; }\n' >two.cu
printf '__global__ void clean(int *p);\nint three(int x) { if (x == -777) clean<<<1, 1>>>(nullptr); return x + 3; }\n' >three.cu
compile one two three
printf 'int one(int), two(int); int main() { return one(1) + two(1) - 5; }\n' >main.cpp
g++ -c main.cpp -o main.host
as_build c++ -o own one.o two.o main.host -Lcudart -lcudart || fail "own: $(cat err)"
has 'own kernels' '2 blobs are lazy (2 functions' home/work/own/summary.txt
run ./own >said 2>&1 || fail "own kernels: ends with $?: $(cat said)"

printf 'int one(int), two(int), three(int); int main() { return one(1) + two(1) + three(1) - 9; }\n' >main.cpp
g++ -c main.cpp -o main.host
as_build c++ -o other one.o two.o three.o main.host -Lcudart -lcudart || fail "other: $(cat err)"
has "another unit's kernel" 'one.cu: three.o launches _Z5cleanPi of it' home/work/other/summary.txt
run ./other >said 2>&1 || fail "another unit's kernel: ends with $?: $(cat said)"
