#!/bin/bash
# Kernels with names and arguments of all forms (test/gpu/names.cu) in a unit whose host side is made without the front end of the device: the code of each has
# the name by which it is registered, at -O2 and at -O0, as C++17 and as C++20.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cp "$here/gpu/names.cu" "$here/gpu/gpu.h" .
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
extern "C" {
int cudaMalloc(void **p, size_t n) { return *p = calloc(1, n), 0; }
int cudaMemset(void *p, int v, size_t n) { return memset(p, v, n), 0; }
int cudaMemcpy(void *p, void *q, size_t n, int) { return memcpy(p, q, n), 0; }
const char *cudaGetErrorName(int e) { return e ? "an error" : "none"; }
const char *cudaGetErrorString(int e) { return cudaGetErrorName(e); }
int cudaLaunchKernelExC(void *, void *, void *) { return 0; }
int cudaStreamCreateWithFlags(void *, unsigned) { return 0; }
int cudaStreamSynchronize(void *) { return 0; }
int cudaStreamBeginCapture(void *, int) { return 0; }
int cudaStreamEndCapture(void *, void *) { return 0; }
int cudaGraphInstantiate(void *, void *, unsigned long long) { return 0; }
int cudaGraphLaunch(void *, void *) { return 0; }
}
int main() {
  void *h = dlopen("./lib.so", RTLD_NOW);
  int failed = 0;
  if (!h) return puts(dlerror()), 1;
  for (const char *what : {"where", "arguments", "templates", "otherwise"}) failed += ((int (*)(const char *))dlsym(h, "run"))(what);
  return failed != 0;
}
C
g++ -rdynamic main.cpp -o main -ldl -Lcudart -lcudart
for words in '-O2 -std=c++17' '-O0 -g -std=c++20'; do
  # shellcheck disable=SC2086 # words
  as_build nvcc $words -w -arch=sm_90 -Xcompiler -fPIC -c names.cu -o names.o || fail "$words: $(cat err)"
  lacks "$words: cicc" '"stub"' home/work/manifest.json.ndjson
  as_build c++ -shared -o lib.so names.o -Lcudart -lcudart || fail "$words: link: $(cat err)"
  has "$words: lazy" '1 ordinary unit, lazy' err
  run ./main >out 2>said || fail "$words: $(grep -v ': 0 0 0 0' out; cat said)"
  is "$words: lines" 93 "$(grep -c ': 0 0 0 0$' out)"
done
