#!/bin/bash
# No form of a CUDA unit starts more compilers through ckjit than with nvcc alone: cudafe++, cicc,
# ptxas and the host's compiler are counted, over compile and link, for forms that once cost more
# than nvcc. What is preprocessed is not counted, nor the runtime's compile at the link.
# tier: long
# seconds: 120
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/include/cccl/thrust/fill.h" ] || skip "$cuda has no Thrust in include/cccl"
# a toolkit whose programs say that they were started
mkdir -p spy/bin spy/nvvm/bin hosts
for file in "$cuda"/* "$cuda"/bin/* "$cuda"/nvvm/* "$cuda"/nvvm/bin/*; do
  [ -e "spy/${file#"$cuda"/}" ] || ln -s "$(realpath "$file")" "spy/${file#"$cuda"/}"
done
rm spy/bin/nvcc
cp "$cuda/bin/nvcc" spy/bin/nvcc
for name in 'bin/cudafe++' bin/ptxas nvvm/bin/cicc; do
  rm -f "spy/$name"
  printf '#!/bin/sh\necho "%s" >>"%s/started"\nexec "%s" "$@"\n' "${name##*/}" "$T" "$cuda/$name" >"spy/$name"
  chmod +x "spy/$name"
done
for name in gcc g++; do
  real=$(command -v $name)
  printf '#!/bin/sh\nfor w; do case $w in *.cudafe1.cpp) echo host >>"%s/started" ;; esac; done\nexec "%s" "$@"\n' "$T" "$real" >hosts/$name
  chmod +x hosts/$name
done
CUDA_HOME=$T/spy "$B/bin/ckjit-build" home --dir "$T/counted" --profile cuda --units >"$T/exports" 2>err || fail "no fake home: $(cat err)"
# count COMPILER FLAGS UNIT…: what the compiles and the link start
count() {
  compiler=$1 flags=$2
  shift 2
  rm -f ./*.o
  : >started
  for u; do
    # shellcheck disable=SC2086 # words
    PATH=$T/hosts:$PATH "$compiler" $flags -c "$u.cu" -o "$u.o" 2>err || fail "$compiler $flags $u: $(cat err)"
  done
  # shellcheck disable=SC2086 # words
  PATH=$T/hosts:$PATH "$compiler" -shared $flags -cudart=shared -Lcudart "${@/%/.o}" -o lib.so 2>err || fail "$compiler: link: $(cat err)"
}
number() { grep -cx "$1" "$2" || true; }
# no_more NAME WORDS UNIT…
no_more() {
  name=$1 words="-std=c++17 -O1 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $2"
  shift 2
  count "$T/spy/bin/nvcc" "$words" "$@"
  mv started nvcc.started
  : >counted/work/manifest.json.ndjson
  (
    # shellcheck disable=SC1091
    . "$T/exports"
    count "$T/counted/bin/nvcc" "$words" "$@"
  ) || exit 1
  for p in cudafe++ cicc ptxas host; do
    ours=$(number $p started) theirs=$(number $p nvcc.started)
    [ "$theirs" -gt 0 ] || fail "$name: nvcc starts no $p"
    [ "$ours" -le "$theirs" ] || fail "$name: $ours times $p, and $theirs with nvcc: $(tail -n 3 counted/work/manifest.json.ndjson | grep -o '"\(stub\|not_lazy\)":"[^"]*"')"
  done
}
cat >closure.cu <<'C'
template <class F> __global__ void each(F f, int *p) { p[0] = f(p[0]); }
void f(int *p, int n) { each<<<1, 1>>>([=] __device__ (int x) { return x + n; }, p); }
C
no_more closure "--extended-lambda -isystem $T/spy/include" closure
cat >dependent.cu <<'C'
struct codec { using word = int; };
template <class C> __global__ void encode(typename C::word *p, C) { p[threadIdx.x]++; }
void run(int *p) { encode<<<1, 32>>>(p, codec()); }
C
no_more 'a dependent name' '' dependent
cat >uncertain.cu <<'C'
template <void (*F)(int *)> __global__ void with(int *p) { F(p); }
__host__ __device__ void one(int *p) { p[0] = 1; }
void f(int *p) { with<one><<<1, 1>>>(p); }
C
no_more 'a name that is not certain' '' uncertain
cat >thrust.cu <<'C'
#include <thrust/fill.h>
#include <thrust/execution_policy.h>
void run(float *p, int n) { thrust::fill(thrust::cuda::par, p, p + n, 1.f); }
C
no_more 'kernels of Thrust alone' '' thrust
cat >table.cu <<'C'
static __device__ __constant__ float table[4] = {1, 2, 3, 5};
template <int N> __global__ void a(float *p) { p[threadIdx.x] *= N * table[p[0] > 0]; }
void go(float *p) { a<1><<<1, 32>>>(p); a<2><<<1, 32>>>(p); }
C
no_more 'a table' '' table
no_more 'a table, -rdc=true' -rdc=true table
if [ -e "$cuda/lib64/libnvJitLink.so" ]; then
  echo '__device__ int total; __global__ void sum(int *p) { p[0] = total++; } void go2(int *p) { sum<<<1, 1>>>(p); }' >total.cu
  no_more 'a variable beside a lazy unit' -rdc=true table total
  has 'they stand beside each other' '"not_lazy":"it has the device variable total' counted/work/manifest.json.ndjson
  cat >random.cu <<'C'
#include <curand_kernel.h>
__global__ void seed(curandState *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
void init(curandState *s) { seed<<<1, 32>>>(s); }
C
  no_more 'tables of cuRAND' -rdc=true random table
fi
