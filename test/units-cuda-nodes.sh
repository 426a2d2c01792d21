#!/bin/bash
# A kernel's address in the node of a graph, or in a list of launches: the kernel of a lazy unit is there when CUDA gets the address,
# from that unit and from an object of the host's compiler. With CUDA 12, too, whose cudaGraphAddNode has an argument less.
# tier: check
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
for n in 1 2 3 4 5 6; do
  echo "__global__ void k$n(int *p) { p[0] = $n; }"
done >a.cu
cat >>a.cu <<'C'
__global__ void own(int *p) { p[0] = 7; }
extern "C" void *kernel(int n) {
  void *all[] = {(void *)k1, (void *)k2, (void *)k3, (void *)k4, (void *)k5, (void *)k6};
  return all[n - 1];
}
extern "C" int from_unit() {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = (void *)own;
  return cudaGraphAddNode(nullptr, nullptr, nullptr, nullptr, 0, &p);
}
C
cat >nodes.cpp <<'C'
#include <cstdlib>
struct node { int type, reserved[3]; void *kernel; long rest[29]; };
struct list { void *kernel; long rest[6]; };
extern "C" void *kernel(int);
extern "C" int from_unit(), cudaGraphAddNode(void *, void *, void *, const void *, const void *, const void *),
    cudaGraphAddNode_v2(void *, void *, void *, void *, long, const node *), cudaGraphNodeSetParams(void *, const node *),
    cudaGraphExecNodeSetParams(void *, void *, const node *), cudaLaunchCooperativeKernelMultiDevice(list *, unsigned, unsigned);
extern "C" int run() {
  node n = {};
  int bad = 0;
  bool old = atoi(getenv("CUDART_VERSION")) < 13000;
  n.kernel = kernel(1);
  bad |= cudaGraphAddNode(0, 0, 0, 0, old ? &n : (void *)5, old ? (void *)5 : &n);
  n.kernel = kernel(2);
  bad |= cudaGraphAddNode_v2(0, 0, 0, 0, 0, &n);
  n.kernel = kernel(3);
  bad |= cudaGraphNodeSetParams(0, &n);
  n.kernel = kernel(4);
  bad |= cudaGraphExecNodeSetParams(0, 0, &n);
  list l[2] = {{kernel(5)}, {kernel(6)}};
  bad |= cudaLaunchCooperativeKernelMultiDevice(l, 2, 0);
  n.type = 1; /* a copy: what stands there is no address */
  n.kernel = (void *)1;
  bad |= cudaGraphNodeSetParams(0, &n);
  return bad | (old ? 0 : from_unit());
}
C
as_build nvcc -O1 -Xcompiler -fPIC -arch=sm_90 -c a.cu -o a.o || fail "a: $(cat err)"
grep -q '"kind":"unit","stem":"a"' home/work/manifest.json.ndjson || fail "no lazy unit: $(tail -n 1 home/work/manifest.json.ndjson)"
g++ -O1 -fPIC -c nodes.cpp -o nodes.o
as_build c++ -shared -o lib.so a.o nodes.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the summary' '1 ordinary unit, lazy' err
loading_main
for version in 13000 12090; do
  CUDART_VERSION=$version run ./main >out 2>said || fail "CUDA $version: $(cat out said)"
  is "CUDA $version" 0 "$(cat out)"
  is "CUDA $version: kernels registered" "$((version < 13000 ? 6 : 7))" "$(grep -c '^function' log)"
  lacks "CUDA $version: an address that it does not know" '?' log
done
