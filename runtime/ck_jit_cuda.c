/* ck_jit_cuda.c - asks CUDA's driver for the GPUs that this process may use.
 *
 * For HIP the kernel driver's files suffice, without initialising anything (ck_jit_arch.h);
 * NVIDIA's have no compute capability. The caller is about to launch a kernel, so the driver is
 * initialised already or will be in a moment; any thread may call cuInit again. Nothing is linked:
 * the driver's library is the one that the process has loaded, or would load. Source: CUDA Driver
 * API, "Device Management".
 */
#include "ck_jit_arch.h"

#include <dlfcn.h>

enum {
  /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR */
  CKJIT_CUDA_MAJOR = 75,
  CKJIT_CUDA_MINOR = 76,
};

struct ckjit_cuda {
  int (*init)(unsigned flags);
  int (*count)(int *n);
  int (*get)(int *device, int ordinal);
  int (*attribute)(int *value, int what, int device);
};

static bool ckjit_cuda_open(struct ckjit_cuda *c) {
  /* never closed: the driver does not support that */
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return false;
  *(void **)&c->init = dlsym(library, "cuInit");
  *(void **)&c->count = dlsym(library, "cuDeviceGetCount");
  *(void **)&c->get = dlsym(library, "cuDeviceGet");
  *(void **)&c->attribute = dlsym(library, "cuDeviceGetAttribute");
  return c->init && c->count && c->get && c->attribute;
}

size_t ckjit_cuda_capabilities(unsigned *list, size_t max) {
  struct ckjit_cuda c;
  int n = 0, device, major, minor;
  size_t found = 0;
  if (!ckjit_cuda_open(&c) || c.init(0) || c.count(&n))
    return 0;
  for (int i = 0; i < n && found < max; i++)
    if (!c.get(&device, i) && !c.attribute(&major, CKJIT_CUDA_MAJOR, device) &&
        !c.attribute(&minor, CKJIT_CUDA_MINOR, device))
      list[found++] = (unsigned)(10 * major + minor);
  return found;
}
