#!/bin/bash
# An archive or object of late units that only a script of the linker's names is looked into: libu.so is a text that -l finds, or that the command
# names, or another script; INPUT, GROUP, AS_NEEDED, SEARCH_DIR, -T; and by LIBRARY_PATH. The units stay late, the program calls them, and the
# linker takes and misses what it does without ckjit. A script that does more than name files says nothing of what it needs, so all is made with
# the program.
# tier: all
# seconds: 23
# shellcheck disable=SC1091,SC2086,SC2154 # words
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
mkdir lib more
for n in one two; do
  printf '%s\n' 'static __global__ void k(int *p) { *p = 1; }' "int $n(int x) { if (x == -777) k<<<1, 1>>>(nullptr); return x + 1; }" >$n.cu
  as_build nvcc $flags -c $n.cu -o $n.o || fail "$n.cu: $(cat err)"
done
printf 'int plain(int x) { return x; }\n' | g++ -x c++ -c - -o plain.host
as_build ar rcs lib/libu.a one.o || fail ar
as_build ar rcs more/libv.a two.o plain.host || fail ar
cp two.o more/two.o
printf 'int one(int), two(int), plain(int); int main() { return one(3) + two(4) + plain(5) - 14; }\n' >main.cpp
g++ -c main.cpp -o main.host || fail main.cpp
# program WHAT LATE WORDS…: the program of these links and runs, with LATE units that come late
program() {
  what=$1 wanted=$2
  shift 2
  rm -rf main home/work/main
  as_build c++ -o main main.host "$@" $gpu_link || fail "$what: $(cat err)"
  has "$what" "$wanted blobs are lazy" home/work/main/summary.txt
  run ./main >said 2>&1 || fail "$what: ends with $?: $(cat said)"
}
script() { printf '%s\n' "$2" >"$1"; }
script lib/libw.so '/* GNU ld script */ OUTPUT_FORMAT(elf64-x86-64) GROUP ( libu.a "-lv" AS_NEEDED ( libc.so.6 ) )'
program '-l that finds a script' 2 -Llib -Lmore -lw
program 'a script by its name' 2 lib/libw.so -Lmore
program 'a script after -Wl,' 2 -Wl,lib/libw.so -Lmore
LIBRARY_PATH=$PWD/lib:$PWD/more program 'LIBRARY_PATH' 2 -lw
script all.so "SEARCH_DIR($PWD/more) INPUT(lib/libu.a, libv.a)"
program 'directories' 2 all.so
script outer.so "INPUT(lib/libw.so)"
program 'a script in a script' 2 -Lmore outer.so
script t.ld "INPUT($PWD/lib/libu.a $PWD/more/libv.a) SECTIONS { .own : { *(.own) } } INSERT AFTER .data;"
program '-T' 2 -T t.ld
program '-Wl,-T' 2 -Wl,-T,t.ld
script objects.so "INPUT(one.o more/two.o plain.host)"
program 'objects' 2 objects.so
# from another directory, as a relink does, and by another linker
program 'again' 2 lib/libw.so -Lmore
rm -f main
(
  . "$T/exports"
  cd / && "$B/bin/ckjit-build" relink --tmp-dir "$T/home/work" >"$T/said" 2>&1
) || fail "relink: $(cat said)"
run ./main || fail 'relink: it does not run'
if command -v ld.lld >/dev/null; then program lld 2 -fuse-ld=lld -Llib -Lmore -lw; fi

# What does more than name files.
script odd.so 'GROUP(lib/libu.a more/libv.a) EXTERN(_Z3onei)'
as_build c++ -o main main.host odd.so $gpu_link || fail "odd: $(cat err)"
has 'odd' 'odd.so is a linker script, and does not say what it needs' home/work/main/summary.txt
run ./main || fail 'odd: it does not run'
# What no file of the script has is the linker's error.
script less.so 'INPUT(lib/libu.a)'
if as_build c++ -o main main.host less.so $gpu_link; then fail 'less: it links'; fi
has 'less' 'undefined reference to `two(int)' err
