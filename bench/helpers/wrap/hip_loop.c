/* hip_loop.c - the nanoseconds of a launch with HIP, over N launches, of the kernels of a unit in
 * turn. Linked with the runtime's part for lazy units and its --wraps, or without. STOCK: the unit
 * was compiled as usual, beside a lazy one. */
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { KERNELS = 300 }; /* as in CK's f16 instances */

void **__hipRegisterFatBinary(const void *wrapper);
void __hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                           unsigned threads, void *tid, void *bid, void *block, void *grid,
                           int *size);
int hipLaunchKernel(const void *f, size_t a, size_t b, size_t c, size_t d, void **args);

static void *kernels[2][KERNELS]; /* with the distances of pointers, as in clang's objects */

__attribute__((constructor)) static void begin(void) {
  static char lazy[41] = "CKJTUNIT00000000000000000000000000000000", stock[8] = "stock";
  static struct {
    unsigned magic, version;
    const void *binary;
    void *unused;
  } wrapper[2] = {{0x48495046, 1, lazy, NULL}, {0x48495046, 1, stock, NULL}};
  for (int unit = 0; unit < 2; unit++) {
    void **handle = __hipRegisterFatBinary(&wrapper[unit]);
    for (int i = 0; i < KERNELS; i++)
      __hipRegisterFunction(handle, &kernels[unit][i], "kernel", "kernel", -1u, NULL, NULL, NULL,
                            NULL, NULL);
  }
}

#ifdef WRAPPED
#include "ck_jit_manifest.h"
const struct ckjit_facts ckjit_facts;
const struct ckjit_blob ckjit_blobs[1];
const struct ckjit_linked_unit ckjit_linked_units[1];

const char *ckjit_string(uint32_t offset) {
  (void)offset;
  return "";
}

const void *ckjit_lazy_code(const char *key, const char *kernel, int *all, int *said) {
  (void)key, (void)kernel, (void)said;
  *all = 0;
  return "a fat binary";
}

/* as without CK_JIT_CAPTURE */
_Bool ckjit_lazy_count(const char *key, const char *kernel, void **of) {
  (void)key, (void)kernel, (void)of;
  return 0;
}
#endif

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Launches DISTINCT kernels of the UNIT. Negative if a launch failed. */
__attribute__((visibility("default"))) double ns_per_launch(long n, int distinct, int unit) {
  void *none[1] = {NULL};
  int failed = 0, next = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < distinct; i++)
      failed += hipLaunchKernel(&kernels[unit][i], 1, 1, 1, 1, none);
  double start = seconds();
  for (long i = 0; i < n; i++) {
    failed += hipLaunchKernel(&kernels[unit][next], 1, 1, 1, 1, none);
    next = next + 1 == distinct ? 0 : next + 1;
  }
  return failed ? -1 : 1e9 * (seconds() - start) / (double)n;
}
