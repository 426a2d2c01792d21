#!/bin/bash
# Two units of an archive: one has to be made with the program, as nothing calls its function but a macro in the other, by a header. The
# linker takes the archive's member only for what it sees, so the other unit is made with the program, too. A unit that the program's own
# object needs is late, and the other calls its stub.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
printf '%s\n' '#define CALL(x) called(x)' 'int calls(int), called(int);' >lib.h
body='#include "lib.h"
static __global__ void k(int *p) { *p = 1; } static int note(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return x * 3 + 1; }'
printf '%s\nint calls(int x) { return note(x + CALL(x)); }\n' "$body" >calls.cu
printf '%s\nint called(int x) { return note(x + 1); }\n' "$body" >called.cu
printf '#include "lib.h"\nint main() { return calls(3) - 49; }\n' >main.cpp
compile calls called
g++ -c main.cpp -o main.host || fail main.cpp
as_build ar rcs libunits.a calls.o called.o || fail ar
for link in '' -rdynamic '-rdynamic -Wl,--whole-archive'; do
  # shellcheck disable=SC2086
  as_build c++ -o main $link main.host libunits.a -Wl,--no-whole-archive -Lcudart -lcudart || fail "$link: $(cat err)"
  run ./main >said 2>&1 || fail "$link: ends with $?: $(cat said)"
done

# Of what the program itself needs each unit has a stub, which the other can call: both stay late. So with objects joined by ld -r.
printf '#include "lib.h"\nint main() { return calls(3) + called(1) - 56; }\n' >main.cpp
g++ -c main.cpp -o main.host || fail main.cpp
as_build ld -r calls.o called.o -o joined.o || fail 'ld -r'
for link in libunits.a joined.o; do
  # shellcheck disable=SC2086
  as_build c++ -o both main.host $link -Lcudart -lcudart || fail "$link: $(cat err)"
  run ./both >said 2>&1 || fail "$link: ends with $?: $(cat said)"
  has "$link" '2 blobs are lazy (2 functions' home/work/both/summary.txt
done

# What only a member of an archive needs may be left out with that member.
printf '#include "lib.h"\nint other() { return called(1); }\n' >other.cpp
printf '#include "lib.h"\nint main() { return calls(3) - 49; }\n' >main.cpp
g++ -c main.cpp -o main.host && g++ -c other.cpp -o other.host && ar rcs libother.a other.host || fail main.cpp
# shellcheck disable=SC2086
as_build c++ -o apart main.host libunits.a libother.a -Lcudart -lcudart || fail "apart: $(cat err)"
run ./apart >said 2>&1 || fail "apart: ends with $?: $(cat said)"

# The program's source is compiled by the command that links it, so nobody knows before what it needs.
# shellcheck disable=SC2086
as_build nvcc $flags main.cpp -o main -L. -lunits -Lcudart -lcudart || fail "compiled and linked: $(cat err)"
run ./main >said 2>&1 || fail "compiled and linked: ends with $?: $(cat said)"
"$B/bin/ckjit-build" explain home/work >explained || fail explain
has 'compiled and linked' "main.cpp is compiled by the link's command, and does not say what it needs" explained
