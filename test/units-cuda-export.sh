#!/bin/sh
# ckjit-prebuild export of kernels of lazy units of CUDA: the cubin and the PTX of one kernel, which are those that its launch would load, with
# another name, and of one that shares a variable; of a unit, all its kernels, from a program as well; of several to a directory. What there is not is refused: LTO-IR,
# an object, PTX for the driver, an architecture that the unit was not built for.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >a.cu <<'C'
__device__ int counter;
template <int N> __global__ void times(int *p) { p[threadIdx.x] *= N; }
static __global__ void count(int *p) { p[0] = atomicAdd(&counter, 1); }
__global__ void reset() { counter = 0; }
extern "C" int run() { times<3><<<1, 1>>>(nullptr); count<<<1, 1>>>(nullptr); reset<<<1, 1>>>(); return cudaGetLastError(); }
C
as_build nvcc -O2 -Xcompiler -fPIC -arch=sm_90 -c a.cu -o a.o || fail "a: $(cat err)"
as_build nvcc -shared -arch=sm_90 -o lib.so a.o || fail "link: $(cat err)"
export CK_JIT_MANIFEST="$T/home/work/lib/ck_jit_manifest.json"
prebuild() {
  status=0
  "$B/bin/ckjit-prebuild" "$@" >out 2>said || status=$?
}
tab=$(printf '\t')
prebuild list --kernels
times=$(sed -n "s/${tab}void times<3>(int\*)//p" out) count=$(sed -n "s/${tab}count(int\*).*//p" out) unit=${times%.*}
kernels() { readelf -SW "$1" 2>said.readelf | sed -n 's/.* \.nv\.constant0\.\([^ ]*\).*/\1/p' | sort | tr '\n' ' '; }

prebuild export "$times" --format code-object --output x.cubin
is 'a cubin: status' '0 ' "$status $(cat said)"
is 'a cubin: its kernels' '_Z5timesILi3EEvPi ' "$(kernels x.cubin)"
# its code is that of nvcc's own
"$cuda/bin/nvcc" -O2 -arch=sm_90 -cubin -o stock.cubin a.cu
for f in stock x; do
  readelf -x .text._Z5timesILi3EEvPi $f.cubin 2>said | grep '^  0x' >$f.code
done
[ -s x.code ] || fail "there is no code: $(cat said)"
cmp stock.code x.code || fail 'the code is not that of nvcc'
prebuild export "$times" --format asm --output x.ptx
is 'PTX' '.visible .entry _Z5timesILi3EEvPi(' "$(grep -F .entry x.ptx)"
prebuild export "$times" --format code-object --symbol times3 --output x.cubin
is 'another name' 'times3 ' "$(kernels x.cubin)"
prebuild export "$times" --format asm --symbol times3 --output x.ptx
is 'PTX with another name' '.visible .entry times3(' "$(grep -F .entry x.ptx)"
prebuild export "$count" --format code-object --output x.cubin
is 'one that shares a variable: status' '0 ' "$status $(cat said)"
is 'one that shares a variable' 1 "$(kernels x.cubin | wc -w)"
prebuild export "$unit" --format code-object --output x.cubin
is 'the unit' 3 "$(kernels x.cubin | wc -w)"
# from a program: the unit, by its own name or that of a kernel
# shellcheck disable=SC2086 # flags
gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${LIB_CFLAGS-} -I"$here/.." "$here/unit/runtime_api.c" -o api -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
for name in "$unit" "$times"; do
  is "ckjit_export of $name" "$(stat -c %s x.cubin) bytes" "$(run ./api open:./lib.so "export:$name:code-object:$T/bytes:sm_90")"
  cmp x.cubin bytes || fail "ckjit_export of $name: other bytes than the command's"
done
prebuild export "$times" "$count" --format code-object --output many/
is 'a directory' "$(printf '%s\n' "$times.sm_90.cubin" "$count.sm_90.cubin" | sort)" "$(ls many)"

refused() {
  what=$1 words=$2
  shift 2
  rm -f y
  prebuild export "$@" --output y
  is "$what: status" 1 $status
  has "$what" "$words" said
  [ ! -e y ] || fail "$what: something was written"
}
refused 'LTO-IR' 'expected --format code-object or asm' "$times" --format bitcode
refused 'an object' 'whose functions are in its library; expected --format' "$times" --format obj
refused 'PTX for the driver' 'expected one architecture as --arch sm_90, not compute_90' "$times" --format asm --arch compute_90
refused 'another architecture' 'has no text for compute_80' "$times" --format code-object --arch sm_80
