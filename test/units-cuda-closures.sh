#!/bin/bash
# An extended lambda, whose kernels cicc names, is seen however it is spelled and wherever CUDA's
# headers are found: the front end of the device runs at the build from the start, and nothing is
# compiled twice. CMake gives the toolkit by -isystem, and gcc then puts line markers around
# __device__.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
head='template <class F> __global__ void each(F f, int *p) { p[0] = f(p[0]); }'
why='"stub":"it has closures of the device'
# closure NAME CAPTURES-AND-ATTRIBUTES SEEN WORDS…
closure() {
  name=$1 lambda=$2 seen=$3
  shift 3
  printf '#define MINE __device__\n#define BOTH __host__ __device__\n%s\nvoid f(int *p, int n) { each<<<1, 1>>>(%s(int x) { return x + n; }, p); }\n' "$head" "$lambda" >"$name.cu"
  : >home/work/manifest.json.ndjson
  as_build nvcc -std=c++17 --extended-lambda -O2 -arch=sm_90 "$@" -c "$name.cu" -o "$name.o" || fail "$name: $(cat err)"
  grep -q '"kind":"unit"' home/work/manifest.json.ndjson || fail "$name: not lazy: $(cat home/work/manifest.json.ndjson)"
  has "$name: seen" "$seen" home/work/manifest.json.ndjson
}
for found in -I -isystem; do
  closure "plain$found" '[=] __device__ ' "$why" "$found" "$cuda/include"
  closure "macro$found" '[n] MINE ' "$why" "$found" "$cuda/include"
  closure "both$found" '[=] BOTH ' "$why" "$found" "$cuda/include"
  closure "line$found" "$(printf '[=]\n  __device__\n  ')" "$why" "$found" "$cuda/include"
done
