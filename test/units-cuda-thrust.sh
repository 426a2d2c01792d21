#!/bin/bash
# A unit whose kernels are all of the toolkit's own headers, Thrust's or CUB's, is lazy without -I
# for them; one that includes headers of the toolkit and launches nothing goes to the real compiler
# before anything is run.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/include/cccl/thrust/fill.h" ] || skip "$cuda has no Thrust in include/cccl"
# The kind that the compile of NAME.cu is recorded as.
kind() {
  : >home/work/manifest.json.ndjson
  as_build nvcc -std=c++17 -O1 -arch=sm_90 -Xcompiler -fPIC -c "$1.cu" -o "$1.o" || fail "$1: $(cat err)"
  sed -n '$s/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson
}
cat >fill.cu <<'C'
#include <thrust/fill.h>
#include <thrust/execution_policy.h>
extern "C" int run(float *p, int n) { thrust::fill(thrust::cuda::par, p, p + n, 1.f); return 0; }
C
is 'Thrust' unit "$(kind fill)"
cat >sum.cu <<'C'
#include <cub/device/device_for.cuh>
struct add { int *p; __device__ void operator()(int i) { p[i] += i; } };
int run(int *p, int n) { return cub::DeviceFor::Bulk(n, add{p}); }
C
is 'CUB' unit "$(kind sum)"
cat >host.cu <<'C'
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <curand.h>
#include <thrust/complex.h>
int run() { return 1; }
C
is 'headers alone' host "$(kind host)"
has 'headers alone: why' 'neither it nor what it includes has __global__ in it' home/work/manifest.json.ndjson
# a macro that stands for the word, and its use elsewhere
mkdir inc
echo '#define KERNEL_WORDS static __global__' >inc/words.h
echo '#define MINE KERNEL_WORDS' >inc/mine.h
cat >defines.cu <<'C'
#include "inc/words.h"
#include "inc/mine.h"
int run() { return 1; } // no MINE: it is told only
C
is 'a macro' host "$(kind defines)"
cat >uses.cu <<'C'
#include "inc/words.h"
#include "inc/mine.h"
MINE void k(int *p) { p[0] = 1; }
void run(int *p) { k<<<1, 1>>>(p); }
C
is 'a use of a macro' unit "$(kind uses)"
