// Kernels of a library on two devices: which has the first launch, variables of each, memory of the
// other, contexts; built by the regular compiler and as a lazy unit the two print the same. With
// VARIABLES and CUDA, nvcc makes the host side.
#include <cstdio>
#include <cstring>
#include <thread>
#include "gpu.h"
#ifndef __HIP__
#include <cuda.h>
#endif

template <int K> __global__ void add(int *p) { atomicAdd(p, K); }
__global__ void big_shared(int *p, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
  __syncthreads();
  if (!threadIdx.x) *p = s[n - 1];
}
#ifdef VARIABLES
__constant__ int table[2];
__device__ int counter = 5;
__global__ void look(int *p) { p[0] = table[1] + atomicAdd(&counter, 1); }
#endif

#define DO(what)                                                            \
  do {                                                                      \
    cudaError_t e_ = (what);                                                \
    if (e_) return printf("%s: %s\n", #what, cudaGetErrorString(e_)), 1;    \
  } while (0)
static int memory(int device, int **p) {
  DO(cudaSetDevice(device));
  DO(cudaMalloc(p, sizeof **p));
  DO(cudaMemset(*p, 0, sizeof **p));
  return 0;
}
static int show(const char *what, int device, int *p) {
  int v = -1;
  cudaError_t e = cudaGetLastError();
  DO(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost));
  printf("%s, device %d: %s, %d\n", what, device, cudaGetErrorName(e), v);
  return e != cudaSuccess;
}
// the first launch on device 1, then on 0
static int second_first() {
  int *p[2], failed = 0;
  for (int d = 1; d >= 0; d--) {
    if (memory(d, &p[d])) return 1;
    add<3><<<1, 32>>>(p[d]);
    failed += show("second first", d, p[d]);
  }
  for (int i = 0; i < 6; i++) {
    DO(cudaSetDevice(i & 1));
    add<4><<<1, 32>>>(p[i & 1]);
    add<3><<<1, 32>>>(p[i & 1]);
    failed += show("in turn", i & 1, p[i & 1]);
  }
  return failed;
}
static int attributes() {
  int *p[2], failed = 0;
  #ifdef __HIP__
  enum { N = 12 << 10 };
#else
  enum { N = 24 << 10 };
#endif
  for (int d = 0; d < 2; d++) {
    if (memory(d, &p[d])) return 1;
    if (d) DO(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, N * int(sizeof(int))));
    big_shared<<<1, 64, N * sizeof(int)>>>(p[d], N);
    int bad = show("much shared memory", d, p[d]);
    failed += d && bad;
  }
  return failed;
}
static int peers() {
  int *p[2], can = 0, failed = 0;
  if (memory(0, &p[0]) || memory(1, &p[1])) return 1;
  DO(cudaDeviceCanAccessPeer(&can, 1, 0));
  printf("peers: %d\n", can);
  if (!can) return 0;
  DO(cudaSetDevice(1));
  DO(cudaDeviceEnablePeerAccess(0, 0));
  add<5><<<1, 32>>>(p[0]);
  DO(cudaDeviceSynchronize());
  failed += show("memory of the other", 1, p[0]);
  DO(cudaDeviceDisablePeerAccess(0));
  return failed;
}
// the first launch of one kernel on both devices at once
static int threads() {
  int *p[2], failed = 0;
  cudaError_t errors[2];
  if (memory(0, &p[0]) || memory(1, &p[1])) return 1;
  auto each = [&](int d) {
    cudaSetDevice(d);
    for (int i = 0; i < 20; i++) add<6><<<1, 1>>>(p[d]), add<7><<<1, 1>>>(p[d]);
    cudaDeviceSynchronize();
    errors[d] = cudaGetLastError();
  };
  std::thread one(each, 1), none(each, 0);
  one.join(), none.join();
  for (int d = 0; d < 2; d++) {
    DO(cudaSetDevice(d));
    printf("thread: %s\n", cudaGetErrorName(errors[d]));
    failed += show("threads", d, p[d]) + (errors[d] != cudaSuccess);
  }
  return failed;
}
static int graphs() {
  int *p[2], failed = 0;
  for (int d = 1; d >= 0; d--) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    if (memory(d, &p[d])) return 1;
    DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<8><<<1, 2, 0, stream>>>(p[d]);
    DO(cudaStreamEndCapture(stream, &graph));
    DO(cudaGraphInstantiate(&made, graph, 0));
    DO(cudaGraphLaunch(made, stream));
    DO(cudaStreamSynchronize(stream));
    failed += show("graph", d, p[d]);
  }
  return failed;
}
// what a device had is gone, and the next launch brings it back
static int reset() {
  int *p, failed = 0;
  for (int d = 0; d < 2; d++) {
    if (memory(d, &p)) return 1;
    add<9><<<1, 1>>>(p);
    failed += show("before", d, p);
    DO(cudaDeviceReset());
    if (memory(d, &p)) return 1;
    add<9><<<1, 1>>>(p);
    add<10><<<1, 1>>>(p);
    failed += show("reset", d, p);
  }
  return failed;
}
#ifndef __HIP__
// contexts of the driver's beside the runtime's own
static int contexts() {
  int failed = 0, *p;
  CUcontext made[2];
  for (int d = 0; d < 2; d++) {
    DO(cudaSetDevice(d));
    DO(cudaFree(0));
#if CUDA_VERSION >= 13000
    if (cuCtxCreate(&made[d], nullptr, 0, d)) return printf("no context\n"), 1;
#else
    if (cuCtxCreate(&made[d], 0, d)) return printf("no context\n"), 1;
#endif
    for (int i = 0; i < 2; i++) {
      DO(cudaMalloc(&p, sizeof *p));
      DO(cudaMemset(p, 0, sizeof *p));
      add<11><<<1, 2>>>(p);
      failed += show(i ? "the runtime's context" : "a context", d, p);
      CUcontext gone;
      if (!i) cuCtxPopCurrent(&gone), cudaSetDevice(d);
    }
  }
  return failed;
}
#endif
#ifdef VARIABLES
static int variables() {
  int *p[2], failed = 0;
  for (int d = 1; d >= 0; d--) {
    const int values[2] = {1, 100 * (d + 1)};
    if (memory(d, &p[d])) return 1;
    DO(cudaMemcpyToSymbol(table, values, sizeof values));
    for (int i = 0; i <= d; i++) look<<<1, 1>>>(p[d]);
    failed += show("variables", d, p[d]);
  }
  for (int d = 0; d < 2; d++) {
    int now = -1;
    void *at = nullptr;
    DO(cudaSetDevice(d));
    DO(cudaMemcpyFromSymbol(&now, counter, sizeof now));
    DO(cudaGetSymbolAddress(&at, counter));
    cudaPointerAttributes a;
    DO(cudaPointerGetAttributes(&a, at));
    printf("counter of device %d: %d, on %d\n", d, now, a.device);
    look<<<1, 1>>>(p[d]);
    failed += show("again", d, p[d]);
  }
  return failed;
}
#endif

extern "C" int run(const char *what) {
  if (!strcmp(what, "second-first")) return second_first();
  if (!strcmp(what, "attributes")) return attributes();
  if (!strcmp(what, "peers")) return peers();
  if (!strcmp(what, "threads")) return threads();
  if (!strcmp(what, "graphs")) return graphs();
  if (!strcmp(what, "reset")) return reset();
#ifndef __HIP__
  if (!strcmp(what, "contexts")) return contexts();
#endif
#ifdef VARIABLES
  if (!strcmp(what, "variables")) return variables();
#endif
  return printf("%s: no such case\n", what), 1;
}
