#!/bin/bash
# Units of CUDA with -rdc=true in archives: `nvcc -lib` and ar, thin ones, members of one name, a device link of the archive's own (CMake's
# CUDA_RESOLVE_DEVICE_SYMBOLS) or of the program's. They are lazy; if the device link has to be nvcc's, they become nvcc's objects within the archive.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
need ar ranlib
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
flags='-Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
host="-Lcudart -lcudart -L$cuda/lib64"
explain() { "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"; }
mkdir x y
echo '__device__ int helper(int); extern "C" int run() { return 0; }' >host.cu
echo '__device__ int helper(int x) { return x + 1; }' >x/util.cu
echo '__device__ int other(int); __device__ int counted(int x) { return other(x); } __global__ void of_y(int *p) { p[0] = counted(p[1]); } extern "C" int run_y() { int p; of_y<<<1, 1>>>(&p); return cudaGetLastError(); }' >y/util.cu
echo '__device__ int other(int x) { return x; }' >lazy.cu
echo '__device__ int other(int x) { static int n; return atomicAdd(&n, x); }' >static.cu
echo '__device__ int helper(int); extern "C" int run_y(); __global__ void k(int *p) { p[0] = helper(p[1]); } extern "C" int run() { int p; k<<<1, 1>>>(&p); return cudaGetLastError() + run_y(); }' >program.cu
loading_main
# The objects are made once: an archive that is exchanged has copies of them.
for u in x/util y/util lazy static program; do
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true $flags -c $u.cu -o $u.o || fail "$u: $(cat err)"
done
is 'lazy units' 5 "$(grep -c '"kind":"unit"' home/work/manifest.json.ndjson)"
# libx.a by HOW, with lazy.o or static.o
archive() {
  rm -f libx.a
  case $1 in
  nvcc) as_build nvcc -lib x/util.o "$2.o" -o libx.a && ar q libx.a y/util.o ;; # two of one name
  # of files beside it: nvlink has no others
  thin) cp "$2.o" member.o && cp x/util.o xutil.o && cp y/util.o a-long-name-of-a-member.o && ar rcT libx.a member.o xutil.o a-long-name-of-a-member.o ;;
  esac || fail "archive by $1: $(cat err)"
}
# The program of program.o and libx.a by HOW
# shellcheck disable=SC2086 # words
program() {
  rm -f lib.so dlink.o
  case $1 in
  nvcc) as_build nvcc -shared $flags program.o -L. -lx -o lib.so -cudart=shared -Lcudart ;;
  cmake)
    as_build nvcc -dlink $flags program.o libx.a -o dlink.o || return
    grep 'compiled without ckjit' err || :
    as_build c++ -shared -o lib.so program.o dlink.o libx.a $host
    ;;
  esac
}
cp program.o program.o.lazy
for how in nvcc thin; do
  for link in nvcc cmake; do
    cp program.o.lazy program.o
    archive $how lazy
    program $link || fail "$how, $link: $(cat err)"
    nm lib.so >names
    has "$how, $link: lazy" ckjit names
    run ./main >out 2>said || fail "$how, $link: $(cat out said)"
    is "$how, $link: runs" 0 "$(cat out)"
    has "$how, $link: launches" 'launch _Z4of_yPi' log

    archive $how static
    touch -d '2020-01-01' libx.a
    program $link >why || fail "$how, $link, stock: $(cat err)"
    cat err >>why
    has "$how, $link: why" 'util.cu needs _Z5otheri of static.cu, which has the device variable' why
    nm lib.so | lacks "$how, $link: stock" 'ckjit\|ck_jit' -
    is "$how, $link: the archive's time" 2020 "$(date -r libx.a +%Y)"
    nm libx.a >names
    is "$how, $link: members" 3 "$(grep -c '__cudaRegisterLinkedBinary' names)"
    explain
    has "$how, $link: explain" 'not lazy: util.cu needs _Z5otheri of static.cu' said
  done
done

# CUDA_RESOLVE_DEVICE_SYMBOLS: the archive has its device link, and no other is made
# shellcheck disable=SC2086 # words
for with in lazy static; do
  cp y/util.o yutil.o
  rm -f libr.a
  cp $with.o with.o
  as_build nvcc -dlink $flags yutil.o with.o -o dlink.o || fail "resolve $with: $(cat err)"
  as_build ar qc libr.a yutil.o with.o dlink.o
  echo 'extern "C" int run_y(); extern "C" int run() { return run_y(); }' >only.cpp
  as_build c++ -fPIC -c only.cpp -o only.o
  as_build c++ -shared -o lib.so only.o libr.a $host -lcudadevrt || fail "resolved $with: $(cat err)"
  nm lib.so >names
  if [ $with = static ]; then
    lacks 'resolved: stock' 'ckjit' names
  else
    has 'resolved: lazy' 'ckjit' names
    run ./main >out 2>said || fail "resolved: $(cat out said)"
    is 'resolved: runs' 0 "$(cat out)"
  fi
done
