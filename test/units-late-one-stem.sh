#!/bin/bash
# Late units with one base name in one link are all late, each with its own host side: of two directories, and one source that is
# compiled twice with other macros.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
mkdir a b
body='static __global__ void k(int *p) { *p = 1; } static int note(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return x + 1; }'
printf '%s\n' "$body" 'int in_a(int x) { return 10 * note(x); }' >a/unit.cu
printf '%s\n' "$body" 'int in_b(int x) { return 20 * note(x); }' >b/unit.cu
printf '%s\n' "$body" 'int NAME(int x) { return FACTOR * note(x); }' >again.cu
printf '%s\n' 'int in_a(int), in_b(int), f30(int), f40(int); extern "C" int run() { return in_a(1) + in_b(1) + f30(1) + f40(1); }' >main.cpp
compile() { # SOURCE OBJECT WORDS…
  source=$1 object=$2
  shift 2
  # shellcheck disable=SC2086
  as_build nvcc $flags "$@" -c "$source" -o "$object" || fail "$source: $(cat err)"
}
compile a/unit.cu a.o
compile b/unit.cu b.o
compile again.cu f30.o -DNAME=f30 -DFACTOR=30
compile again.cu f40.o -DNAME=f40 -DFACTOR=40
g++ -fPIC -c main.cpp -o main.host
printf 'extern "C" void *PyInit_m() { return nullptr; }\n' >module.cpp
g++ -fPIC -c module.cpp -o module.host
# shellcheck disable=SC2086
as_build c++ -shared -o lib.so a.o b.o f30.o f40.o main.host module.host $gpu_link || fail "lib.so: $(cat err)"
has 'all are late' '4 blobs are lazy' err
loading_main
is 'their results' 200 "$(run ./main)"
is 'entries' 'again-2 again unit-2 unit' "$(cd cache && for f in *.so; do echo "${f%.so}"; done | xargs)"
