#include <cub/device/device_for.cuh>
struct add { int *p; __device__ void operator()(int i) { p[i] += i; } };
int run(int *p, int n) { return cub::DeviceFor::Bulk(n, add{p}); }
