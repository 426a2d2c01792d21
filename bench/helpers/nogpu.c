/* nogpu.c - preloaded before a library: launches of HIP that do nothing and succeed, so that a job
 * continues after its first one on a machine without a GPU. The library's own registrations, and
 * everything that ckjit does before a launch, are unchanged.
 */
#include <stddef.h>

int hipLaunchKernel(const void *function, size_t grid_xy, size_t grid_z, size_t block_xy,
                    size_t block_z, void **args, size_t lds, void *stream) {
  (void)function, (void)grid_xy, (void)grid_z, (void)block_xy, (void)block_z, (void)args, (void)lds,
      (void)stream;
  return 0;
}
int hipPeekAtLastError(void) {
  return 0;
}
int hipGetLastError(void) {
  return 0;
}
