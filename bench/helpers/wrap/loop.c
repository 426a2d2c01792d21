/* loop.c - the nanoseconds of a launch, over N launches, of the kernels of a blob in turn. Linked
 * with the shim and its --wraps, or without. */
#include <stddef.h>
#include <time.h>

enum { KERNELS = 18 }; /* as in flash-attention's fwd hdim64 bf16 causal */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *size);
int cudaLaunchKernel(const void *f, size_t a, size_t b, size_t c, size_t d, void **args);

static char kernels[KERNELS][16];

__attribute__((constructor)) static void begin(void) {
  static struct {
    int magic, version;
    const char *data;
    void *unused;
  } unit = {0, 0, "CKJTUNIT0123456789abcdef0123456789abcdef", NULL};
  void **handle = __cudaRegisterFatBinary(&unit);
  for (int i = 0; i < KERNELS; i++)
    __cudaRegisterFunction(handle, kernels[i], "kernel", "kernel", -1, NULL, NULL, NULL, NULL,
                           NULL);
  __cudaRegisterFatBinaryEnd(handle);
}

#ifdef WRAPPED
typedef const void *find(void *context, const char *kernel, int *all);
void ckjit_kernels_attach(find *f, void *context);
static const void *find_none(void *context, const char *kernel, int *all) {
  (void)context, (void)kernel, (void)all;
  return "a fat binary";
}
__attribute__((constructor)) static void attach(void) {
  ckjit_kernels_attach(find_none, NULL);
}
#endif

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* DISTINCT: the number of kernels. Negative if a launch failed. */
double ns_per_launch(long n, int distinct) {
  void *none[1] = {NULL};
  int failed = 0, next = 0;
  for (int i = 0; i < distinct; i++)
    failed += cudaLaunchKernel(kernels[i], 1, 1, 1, 1, none);
  double start = seconds();
  for (long i = 0; i < n; i++) {
    failed += cudaLaunchKernel(kernels[next], 1, 1, 1, 1, none);
    next = next + 1 == distinct ? 0 : next + 1;
  }
  return failed ? -1 : 1e9 * (seconds() - start) / (double)n;
}
