#!/bin/bash
# Initialisers run in the order of the objects on the link's command line, also that of a unit that is made at the link.
# tier: check
# seconds: 5
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
printf 'struct registrar { registrar(const char *); };\n' >lib.h
printf '#include "lib.h"\nstatic __global__ void k(int *p) { *p = 1; }\nint unit(int x) { if (x == -777) k<<<1, 1>>>(nullptr); return x; }\nstatic registrar r("unit");\n' >unit.cu
for name in before behind; do
  printf '#include "lib.h"\nstatic registrar r("%s");\n' "$name" >$name.cpp
  g++ -c $name.cpp -o $name.o || fail "$name.cpp"
done
printf '#include "lib.h"\n#include <cstdio>\nint unit(int);\nregistrar::registrar(const char *name) { puts(name); }\nint main() { return unit(0); }\n' >main.cpp
g++ -c main.cpp -o main.host
# shellcheck disable=SC2086
as_build nvcc $flags -c unit.cu -o unit.o && "$cuda/bin/nvcc" $flags -c unit.cu -o stock.o || fail "unit.cu: $(cat err)"
for order in 'unit.o before.o behind.o' 'before.o unit.o behind.o' 'behind.o before.o unit.o'; do
  # shellcheck disable=SC2086
  as_build c++ -o ours $order main.host $gpu_link || fail "$order: $(cat err)"
  # shellcheck disable=SC2086
  g++ -o stock ${order/unit.o/stock.o} main.host $gpu_link || fail "$order: g++"
  run ./stock >wanted || fail "stock ends with $?"
  run ./ours >found 2>said || fail "$order: $(cat said)"
  is "$order" "$(cat wanted)" "$(cat found)"
  has "$order: the unit is made at the link" '1 ordinary unit, lazy' home/work/ours/summary.txt
done
