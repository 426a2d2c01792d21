#!/bin/sh
# Each function of CUDA's that takes a kernel's address finds the kernel registered, with its arguments as they were, however often and in
# whatever order it is called; each kernel is asked for once; what is no kernel of the blob is left alone. With a CUDA runtime of ours.
# tier: check
# seconds: 2
. "${0%/*}/common.sh"
need gcc
top=$(cd "$here/.." && pwd)
cd "$T"
cat >ck_jit_unit_calls.h <<'END'
TAKES("cudaLaunchKernel", 0)
TAKES("cudaFuncGetAttributes", 1)
TAKES_PARAMS("cudaGraphAddKernelNode", 4)
END
gcc -DCKJIT_ENTRY -std=gnu11 -O2 -fPIC -fvisibility=hidden -fexceptions -w -I. -I"$top/abi" -c "$top/runtime/ck_jit_cuda_kernels.c" -o shim.o
cat >cudart.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const void *there[256];
static int registered, looked;
void **__cudaRegisterFatBinary(void *w) { static void *h; return &h; }
void __cudaRegisterFatBinaryEnd(void **h) {}
void __cudaUnregisterFatBinary(void **h) {}
void __cudaRegisterVar(void **h, char *a, char *d, const char *n, int e, size_t s, int c, int g) {}
void __cudaRegisterFunction(void **h, const char *f, char *d, const char *name, int t, void *i, void *b, void *k, void *g, int *s) {
  for (int n = 0; n < registered; n++)
    if (there[n] == f) { fprintf(stderr, "%s is registered twice\n", name); abort(); }
  there[registered++] = f;
}
static int is_there(const void *f) {
  looked++;
  for (int n = 0; n < registered; n++)
    if (there[n] == f) return 0;
  return 98; /* cudaErrorInvalidDeviceFunction */
}
int cudaLaunchKernel(const void *f, size_t gx, size_t gz, size_t bx, size_t bz, void **args, size_t shared, void *stream) {
  if (gx != 1 || gz != 2 || bx != 3 || bz != 4 || args != (void **)5 || shared != 6 || stream != (void *)7) abort();
  return is_there(f);
}
int cudaFuncGetAttributes(void *attributes, const void *f) { if (attributes != (void *)1) abort(); return is_there(f); }
int cudaGraphAddKernelNode(void *n, void *g, void *d, size_t count, const void *const *params) {
  if (n != (void *)1 || g != (void *)2 || d != (void *)3 || count != 4) abort();
  return params ? is_there(*params) : 1;
}
END
gcc -w -shared -fPIC cudart.c -o libcudart.so
cat >blob.c <<'END'
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, size_t, size_t, size_t, size_t, void **, size_t, void *);
int cudaFuncGetAttributes(void *, const void *);
int cudaGraphAddKernelNode(void *, void *, void *, size_t, const void *const *);
enum { N = 100 }; /* some lie 1,024 bytes apart */
static char kernels[N][16 * 13], names[N][8], other;
static int asked[N];
typedef const void *find(void *, const char *, int *);
void ckjit_kernels_attach(find *, void *);
__attribute__((constructor)) static void begin(void) {
  static struct { int magic, version; const char *data; void *unused; } unit = {0, 0, "CKJTUNIT0123456789abcdef0123456789abcdef", NULL};
  void **h = __cudaRegisterFatBinary(&unit);
  for (int i = N; i-- > 0;) {
    snprintf(names[i], sizeof names[i], "k%d", i);
    __cudaRegisterFunction(h, kernels[i], names[i], names[i], -1, NULL, NULL, NULL, NULL, NULL);
  }
  __cudaRegisterFatBinaryEnd(h);
}
static pthread_barrier_t all_ask;
static const void *find_one(void *context, const char *name, int *all) {
  if (strcmp(name, "k0") == 0) pthread_barrier_wait(&all_ask); /* nobody has it before all have asked */
  __atomic_add_fetch(&asked[atoi(name + 1)], 1, __ATOMIC_RELAXED);
  return name;
}
static int launch(const void *f) { return cudaLaunchKernel(f, 1, 2, 3, 4, (void **)5, 6, (void *)7); }
static int add(const void *f) { return cudaGraphAddKernelNode((void *)1, (void *)2, (void *)3, 4, &f); }
static void *run(void *data) {
  unsigned seed = (unsigned)(size_t)data;
  size_t failed = launch(kernels[0]) != 0;
  for (int i = 0; i < 20000; i++) {
    const void *f = kernels[rand_r(&seed) % 40]; /* the others are for later */
    int way = rand_r(&seed) % 3;
    failed += (way == 0 ? launch(f) : way == 1 ? cudaFuncGetAttributes((void *)1, f) : add(f)) != 0;
  }
  return (void *)failed;
}
int main(void) {
  pthread_t threads[4];
  size_t failed = 0;
  printf("not attached: %d\n", launch(kernels[50]));
  ckjit_kernels_attach(find_one, NULL);
  pthread_barrier_init(&all_ask, NULL, 4);
  for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, (void *)(i + 1));
  for (int i = 0; i < 4; i++) { void *f; pthread_join(threads[i], &f); failed += (size_t)f; }
  printf("threads: %zu failed\n", failed);
  memset(asked, 0, sizeof asked);
  for (int turn = 0; turn < 3; turn++)
    for (int i = 0; i < N; i++) failed += launch(kernels[i]) || cudaFuncGetAttributes((void *)1, kernels[i]) || add(kernels[i]);
  int once = 0;
  for (int i = 0; i < N; i++) once += asked[i] == (i >= 40);
  printf("in turn: %zu failed, %d asked as often as needed\n", failed, once);
  printf("others: %d %d %d\n", launch(&other), launch(kernels[3] + 16), launch(NULL));
  printf("no parameters: %d\n", cudaGraphAddKernelNode((void *)1, (void *)2, (void *)3, 4, NULL));
}
END
wraps=
for name in __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary __cudaRegisterFunction __cudaRegisterVar \
  cudaLaunchKernel cudaFuncGetAttributes cudaGraphAddKernelNode; do
  wraps="$wraps -Wl,--wrap=$name"
done
# shellcheck disable=SC2086 # words
gcc -w -O1 blob.c shim.o $wraps -o blob -L. -lcudart -pthread -Wl,-rpath,"$T"
./blob >out 2>&1 || fail "$(cat out)"
printf '%s\n' 'not attached: 98' 'threads: 0 failed' 'in turn: 0 failed, 100 asked as often as needed' 'others: 98 98 98' \
  'no parameters: 1' | cmp -s - out || fail "$(cat out)"
# and without the wraps: this CUDA knows what is not registered
gcc -w -O1 -xc - -xnone -o bare -L. -lcudart -Wl,-rpath,"$T" <<'END'
int cudaFuncGetAttributes(void *, const void *);
int main(void) { static char k; return cudaFuncGetAttributes((void *)1, &k) != 98; }
END
./bare || fail "this CUDA finds what is not there"
