// Kernels in the forms that ordinary units have, and the calls that reach them: built by the regular
// compiler and as lazy units, the two print the same on a GPU. SCALE makes a second library of it,
// whose kernels have the same names.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include "gpu.h"

#ifndef SCALE
#define SCALE 1
#endif
#ifdef __HIP__
#define SHARED_KIB 48
#else
#define SHARED_KIB 96
#endif

namespace {
__global__ void hidden(int *p, int n) { p[threadIdx.x] += n * SCALE; }
}  // namespace
static __global__ void inner(int *p, float f) { p[threadIdx.x] = int(f * sinf(float(p[threadIdx.x]))); }
template <int N> __global__ void times(int *p) { p[threadIdx.x] *= N * SCALE; }
template <class T> __global__ void convert(T *to, const int *from) { to[threadIdx.x] = T(from[threadIdx.x]) / T(3); }
template <class F> __global__ void each(F f, int *p) { p[threadIdx.x] = f(p[threadIdx.x]); }

__constant__ int table[4];
__constant__ int fixed[2] = {3, 4 * SCALE};
__device__ int counter;
__global__ void look(int *p) { p[threadIdx.x] = table[threadIdx.x & 3] + fixed[threadIdx.x & 1]; }
__global__ void count(int *p) { p[threadIdx.x] = atomicAdd(&counter, SCALE) >= 0; }
__global__ void count_twice(int *) { atomicAdd(&counter, 2 * SCALE); }

typedef int (*chosen_t)(int);
__device__ int add_one(int x) { return x + SCALE; }
__device__ chosen_t chosen = add_one;
__global__ void through(chosen_t f, int *p) { p[threadIdx.x] = f(p[threadIdx.x]); }

__global__ void big_shared(int *p, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += s[n - 1 - i];
  p[threadIdx.x] = sum;
}
__global__ void __launch_bounds__(128, 2) together(int *p) {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  p[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + SCALE;
  all.sync();
  if (!blockIdx.x) p[threadIdx.x] += p[blockDim.x + threadIdx.x];
}
#ifndef __HIP__
__global__ void __cluster_dims__(2, 1, 1) clustered(int *p) {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  __shared__ int mine;
  if (!threadIdx.x) mine = 10 * SCALE + cluster.block_rank();
  cluster.sync();
  if (!threadIdx.x) p[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  cluster.sync();
#else
  p[blockIdx.x] = -1;
#endif
}
#endif
__global__ void says(int n) { printf("the device says %d\n", n + SCALE); }

#define DO(what)                                                            \
  do {                                                                      \
    cudaError_t e_ = (what);                                                \
    if (e_) return printf("%s: %s\n", #what, cudaGetErrorString(e_)), 1;    \
  } while (0)
enum { N = 64 };
static int *device;

static int show(const char *what, int n = N) {
  int host[2 * N];
  DO(cudaGetLastError());
  DO(cudaDeviceSynchronize());
  DO(cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost));
  long sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 31 + host[i];
  printf("%s: %d %d %d, %ld\n", what, host[0], host[1], host[n - 1], sum);
  return 0;
}
static int fill() {
  int host[2 * N];
  for (int i = 0; i < 2 * N; i++) host[i] = i;
  DO(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  return 0;
}
static int attributes(const char *what, const void *kernel) {
  cudaFuncAttributes a;
  int blocks = 0;
  DO(cudaFuncGetAttributes(&a, kernel));
  DO(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
  // Not constSizeBytes: that is of all constants of the kernel's module, and a kernel that uses none comes alone.
  printf("%s: %d registers, %zu shared, %zu local, at most %d threads, code of %d, %d blocks\n", what, a.numRegs, a.sharedSizeBytes,
         a.localSizeBytes, a.maxThreadsPerBlock, a.binaryVersion, blocks);
  return 0;
}

static int plain() {
  hidden<<<1, N>>>(device, 5);
  times<3><<<1, N>>>(device);
  inner<<<1, N>>>(device, 2.5f);
  times<4><<<1, N>>>(device);
  int n = 7;
  each<<<1, N>>>([=] __device__(int x) { return x * n + 1; }, device);
  each<<<1, N>>>([=] __host__ __device__(int x) { return x - n; }, device);
  return show("plain");
}
static int instances() {
  double *d;
  DO(cudaMalloc(&d, N * sizeof *d));
  double host[N];
  convert<<<1, N>>>(d, device);
  DO(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
  convert<<<1, N>>>(reinterpret_cast<float *>(d), device);
  float single[N];
  DO(cudaMemcpy(single, d, sizeof single, cudaMemcpyDeviceToHost));
  printf("instances: %a %a\n", host[5], single[5]);
  return cudaFree(d);
}
static int variables() {
  const int values[4] = {10, 20, 30, 40};
  int now = -1;
  DO(cudaMemcpyToSymbol(table, values, sizeof values));
  look<<<1, N>>>(device);
  if (show("constants")) return 1;
  count<<<1, N>>>(device);
  count_twice<<<1, N>>>(device);
  DO(cudaMemcpyFromSymbol(&now, counter, sizeof now));
  printf("counter: %d\n", now);
  chosen_t f;
  DO(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
  through<<<1, N>>>(f, device);
  return show("through a pointer");
}
static int limits() {
  int n = SHARED_KIB << 8;
  DO(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, n * int(sizeof(int))));
  big_shared<<<1, N, n * sizeof(int)>>>(device, n);
  if (show("much shared memory")) return 1;
  big_shared<<<1, N, 1 << 20>>>(device, 1);
  printf("1 MiB: %s\n", cudaGetErrorName(cudaGetLastError()));
  times<5><<<1, 2048>>>(device);
  printf("2048 threads: %s\n", cudaGetErrorName(cudaGetLastError()));
  return attributes("times<3>", (const void *)times<3>) || attributes("big_shared", (const void *)big_shared) ||
         attributes("together", (const void *)together) || attributes("look", (const void *)look);
}
static int groups() {
  void *args[] = {&device};
  DO(cudaLaunchCooperativeKernel((const void *)together, 2, N, args, 0, 0));
  if (show("cooperative")) return 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim = N;
#ifndef __HIP__
  clustered<<<2, 32>>>(device);
  if (show("clusters of the kernel", 2)) return 1;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute, config.numAttrs = 1;
#endif
  DO(cudaLaunchKernelEx(&config, times<6>, device));
  return show("launched with a configuration");
}
// A kernel whose first launch is in a capture; the same as a node.
static int graphs(cudaStreamCaptureMode mode) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  DO(cudaStreamBeginCapture(stream, mode));
  if (mode == cudaStreamCaptureModeGlobal) times<7><<<1, N, 0, stream>>>(device);
  if (mode == cudaStreamCaptureModeThreadLocal) times<8><<<1, N, 0, stream>>>(device);
  if (mode == cudaStreamCaptureModeRelaxed) times<9><<<1, N, 0, stream>>>(device);
  hidden<<<1, N, 0, stream>>>(device, 1);
  DO(cudaStreamEndCapture(stream, &graph));
  cudaKernelNodeParams node = {};
  cudaGraphNode_t added;
  void *args[] = {&device};
  node.func = (void *)times<10>, node.gridDim = 1, node.blockDim = N, node.kernelParams = args;
  cudaGraphNode_t last[8];
  size_t n = 8;
  DO(cudaGraphGetNodes(graph, last, &n));
  DO(cudaGraphAddKernelNode(&added, graph, last, n, &node));
  DO(cudaGraphInstantiate(&made, graph, 0));
  for (int i = 0; i < 3; i++) DO(cudaGraphLaunch(made, stream));
  DO(cudaStreamSynchronize(stream));
  DO(cudaGraphExecDestroy(made));
  DO(cudaGraphDestroy(graph));
  DO(cudaStreamDestroy(stream));
  return show("graph");
}
static int streams() {
  std::vector<std::thread> threads;
  int *own[4];
  static int host[4][N];
  for (int t = 0; t < 4; t++)
    threads.emplace_back([t, &own] {
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      cudaMalloc(&own[t], N * sizeof(int));
      cudaMemsetAsync(own[t], 1, N * sizeof(int), stream);
      for (int i = 0; i < 20; i++) {
        times<11><<<1, N, 0, stream>>>(own[t]);
        if (t & 1) times<12><<<1, N, 0, stream>>>(own[t]);
        hidden<<<1, N, 0, stream>>>(own[t], t);
      }
      cudaMemcpyAsync(host[t], own[t], sizeof host[t], cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
    });
  for (std::thread &t : threads) t.join();
  for (int t = 0; t < 4; t++) printf("stream %d: %d %s\n", t, host[t][3], cudaGetErrorName(cudaGetLastError()));
  return 0;
}
// Functions of the host between launches of a stream, the first of each kernel among them.
static void note(void *order) {
  static int calls;
  *(int *)order = ++calls;
}
static int callbacks() {
  cudaStream_t stream;
  int order[3] = {};
  DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int &o : order) {
    times<13><<<1, N, 0, stream>>>(device);
    DO(cudaLaunchHostFunc(stream, note, &o));
    times<14><<<1, N, 0, stream>>>(device);
  }
  DO(cudaStreamSynchronize(stream));
  DO(cudaStreamDestroy(stream));
  printf("callbacks: %d %d %d\n", order[0], order[1], order[2]);
  return show("callbacks");
}
// The kernel of a code object that the program loads itself (module.cu), beside lazy ones.
static int modules() {
  const char *file = getenv("MODULE");
  void *args[] = {&device};
  times<15><<<1, N>>>(device);
#ifdef __HIP__
  hipModule_t module;
  hipFunction_t own;
  DO(hipModuleLoad(&module, file));
  DO(hipModuleGetFunction(&own, module, "of_module"));
  DO(hipModuleLaunchKernel(own, 1, 1, 1, N, 1, 1, 0, 0, args, nullptr));
  times<16><<<1, N>>>(device);
  if (show("modules")) return 1;
  DO(hipModuleUnload(module));
#else
  cudaLibrary_t library;
  cudaKernel_t own;
  DO(cudaLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0));
  DO(cudaLibraryGetKernel(&own, library, "of_module"));
  DO(cudaLaunchKernel((const void *)own, 1, N, args, 0, 0));
  times<16><<<1, N>>>(device);
  if (show("modules")) return 1;
  DO(cudaLibraryUnload(library));
#endif
  times<15><<<1, N>>>(device);
  return show("after the module");
}

extern "C" int run(const char *what) {
  if (!device) DO(cudaMalloc(&device, 2 * N * sizeof *device));
  if (fill()) return 1;
  if (!strcmp(what, "plain")) return plain();
  if (!strcmp(what, "instances")) return instances();
  if (!strcmp(what, "variables")) return variables();
  if (!strcmp(what, "limits")) return limits();
  if (!strcmp(what, "groups")) return groups();
  if (!strcmp(what, "graph-global")) return graphs(cudaStreamCaptureModeGlobal);
  if (!strcmp(what, "graph-thread")) return graphs(cudaStreamCaptureModeThreadLocal);
  if (!strcmp(what, "graph-relaxed")) return graphs(cudaStreamCaptureModeRelaxed);
  if (!strcmp(what, "streams")) return streams();
  if (!strcmp(what, "callbacks")) return callbacks();
  if (!strcmp(what, "modules")) return modules();
  if (!strcmp(what, "says")) return says<<<1, 1>>>(7), cudaDeviceSynchronize();
  return printf("%s: no such case\n", what), 1;
}
