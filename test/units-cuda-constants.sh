#!/bin/bash
# A table that only kernels name, and none writes, is no reason to compile all kernels of a unit
# together: a launch compiles the kernel that it launches, with -rdc=true as well. One that the host
# may write, or another kernel, keeps its kernels together.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
# kernels NAME DECLARATION USE HOST WORDS…: which kernels are compiled for reads<1>, of four; HOST
# is code of the host's
kernels() {
  name=$1
  {
    echo "$2"
    echo "template <int N> __global__ void reads(float *p) { p[threadIdx.x] *= N * ($3); }"
    echo 'template <int N> __global__ void other(float *p) { p[threadIdx.x] += N; }'
    echo 'extern "C" int run(int w, float *p) { if (w == 0) reads<1><<<1, 32>>>(p); if (w == 1) reads<2><<<1, 32>>>(p);'
    echo '  if (w == 2) other<1><<<1, 32>>>(p); if (w == 3) other<2><<<1, 32>>>(p);'
    echo "$4; return cudaGetLastError(); }"
  } >"$name.cu"
  shift 4
  : >home/work/manifest.json.ndjson
  # shellcheck disable=SC2086 # words
  as_build nvcc $flags "$@" -c "$name.cu" -o "$name.o" || fail "$name: $(cat err)"
  # shellcheck disable=SC2086 # words
  as_build nvcc -shared $flags "$@" -cudart=shared -Lcudart "$name.o" -o "lib$name.so" || fail "$name: link: $(cat err)"
  m=home/work/lib$name/ck_jit_manifest.json
  "$B/bin/ckjit-prebuild" list --kernels --manifest "$m" >kernels.tsv || fail "$name: no list"
  rm -rf cache
  "$B/bin/ckjit-prebuild" build --manifest "$m" --arch sm_90 "$(sed -n 's/\t.*reads<1>.*//p' kernels.tsv)" >said 2>&1 || fail "$name: $(cat said)"
  strings -a cache/*.so | grep -o '^\.text\._Z[0-9a-z]*ILi[12]E' | sort -u | wc -l
}
table='{1, 2, 3, 5}'
use='table[p[0] > 0 ? 1 : 2]'
for rdc in '' -rdc=true; do
  is "constant $rdc" 1 "$(kernels constant "static __device__ __constant__ float table[4] = $table;" "$use" '' $rdc)"
  is "device $rdc" 1 "$(kernels device "__device__ static float table[4] = $table;" "$use" '' $rdc)"
  is "in a namespace $rdc" 1 "$(kernels namespace "namespace n { namespace { __constant__ float table[4] = $table; } }" "n::$use" '' $rdc)"
  is "behind a function $rdc" 1 "$(kernels function "static __constant__ float table[4] = $table; static __device__ inline float get(int i) { return table[i]; }" 'get(p[0])' '' $rdc)"
  is "a function that nobody calls $rdc" 1 "$(kernels uncalled "static __constant__ float table[4] = $table; static inline float *host_table() { return table; }" "$use" '' $rdc)"
  # the host, another kernel, an address that goes somewhere, another variable that names it
  is "copied to $rdc" 4 "$(kernels copied "static __constant__ float table[4] = $table;" "$use" 'cudaMemcpyToSymbol(table, p, 16)' $rdc)"
  is "a function that is called $rdc" 4 "$(kernels called "static __constant__ float table[4] = $table; static inline float *host_table() { return table; }" "$use" 'if (w == 4) *host_table() = 1' $rdc)"
  is "written $rdc" 4 "$(kernels written "static __device__ float table[4] = $table; static __device__ inline void put(float x) { table[1] = x; }" "(put(p[1]), $use)" '' $rdc)"
  is "its address $rdc" 4 "$(kernels address "static __device__ float table[4] = $table; static __device__ __noinline__ void put(float *q) { q[1] = 2; }" "(put(table), $use)" '' $rdc)"
  is "chosen $rdc" 4 "$(kernels chosen "static __device__ float table[4] = $table, other_one[4];" "(*(p[0] > 0 ? table : other_one) = 2, $use)" '' $rdc)"
  is "through another $rdc" 4 "$(kernels through "static __device__ float table[4] = $table; static __device__ float *const to[1] = {table};" "(*to[int(p[3])] = 2, $use)" '' $rdc)"
done
is 'a macro of the host' 4 "$(kernels macro "static __device__ float table[4] = $table; __host__ __device__ inline float *both() { return table; }" "both()[1]" 'if (w == 5) *both() = 1')"
