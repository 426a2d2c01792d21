#!/bin/bash
# What `ld -r` made of several units of CUDA with -rdc=true: they are lazy; if nvcc has to link them, `ld -r` makes it again of nvcc's objects, in an archive, too, and
# nvlink says of it what it says without ckjit: it reads one unit of such a file. If it has other code in it as well, that is an error, which names the unit and the file.
# tier: all
# seconds: 17
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
need ar ld
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
flags='-Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
echo '__device__ int other(int x) { return x; } __global__ void of_lazy(int *p) { p[0] = other(1); }' >lazy.cu
echo '__device__ int other(int x) { static int n; return atomicAdd(&n, x); } __global__ void of_static(int *p) { p[0] = other(2); }' >static.cu
echo '__device__ int other(int); __global__ void k(int *p) { p[0] = other(p[1]); } extern "C" int run() { int p; k<<<1, 1>>>(&p); return cudaGetLastError(); }' >k.cu
echo 'int beside() { return 3; }' >beside.cpp
g++ -fPIC -c beside.cpp
loading_main
units() {
  for u; do
    # shellcheck disable=SC2086 # words
    as_build nvcc -rdc=true $flags -c $u.cu -o $u.o || fail "$u: $(cat err)"
  done
}
# The library of these inputs
library() {
  rm -f lib.so
  # shellcheck disable=SC2086 # words
  as_build nvcc -shared $flags "$@" -o lib.so -cudart=shared -Lcudart
}
units k lazy static
ld -r k.o lazy.o -o both.o
library both.o || fail "lazy: $(cat err)"
has 'both are lazy' '2 ordinary units, lazy' err
run ./main >out 2>said || fail "lazy: $(cat out said)"
is 'a launch' 0 "$(cat out)"
has 'launched' 'launch _Z1kPi' log

mkdir stock
for u in k static; do
  # shellcheck disable=SC2086 # words
  "$cuda/bin/nvcc" -rdc=true $flags -c $u.cu -o stock/$u.o || fail "by nvcc: $u"
done
ld -r stock/k.o stock/static.o -o stock/both.o
nm stock/both.o | awk '{ print $NF }' | sed 's/[0-9a-f_]\{8,\}//' | sort >stock.names
for form in object archive; do
  units k static
  ld -r k.o static.o -o both.o
  input=both.o
  [ $form = object ] || { rm -f liball.a && ar rc liball.a both.o && input=liball.a; }
  touch -c -d 2020-01-01 both.o liball.a
  # shellcheck disable=SC2086 # words
  if library $input; then [ $form = archive ] || fail 'nvlink has linked it'; fi # of an archive it reads nothing that nobody needs
  has "$form: why" 'k.cu needs _Z5otheri of static.cu, which has the device variable' err
  [ $form = archive ] || has "nvlink's words" "Undefined reference to '_Z5otheri' in" err
  [ $form = object ] && file=both.o || file=liball.a
  nm "$file" >names
  is "$form: units as nvcc makes them" "$(grep -c __cudaRegisterLinkedBinary stock.names)" "$(grep -c __cudaRegisterLinkedBinary names)"
  lacks "$form: no lazy unit is left" 'ckjit' names
  is "$form: its time" 2020 "$(date -r "$file" +%Y)"
  "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"
  has "$form: explain" 'not lazy: k.cu needs _Z5otheri of static.cu' said
done

units k static
ld -r k.o static.o beside.o -o both.o
cp both.o before.o
library both.o && fail 'code beside units was taken apart'
has 'an error' 'cannot be lazy in this link: k.cu needs _Z5otheri of static.cu' err
has 'which file' 'and it cannot be taken out of both.o: compile it again with CK_JIT_UNITS=0' err
cmp both.o before.o || fail 'the file was written to'
[ ! -e lib.so ] || fail 'there is a library'
