// entry.hpp - the kernel, and the host function that launches it. The element type is a parameter of the kernel; the
// distance and the filter are not: they are parameters of the host function only, and name the fragments.
#pragma once
#include "device.hpp"
#include "reference.hpp"
#include "search.hpp"

namespace search {

template <typename T>
__global__ void search_kernel(const T *query, const T *data, float *result, row_filter filter, int rows, int dim) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x)
    result[row] = apply_filter<int>(filter, row) ? compute_distance<T>(query, data + row * dim, dim) : -1.0f;
}

template <typename T> bool launch(const problem &p) {
  int devices = 0;
  if (hipGetDeviceCount(&devices) != hipSuccess || !devices)
    return false;
  T *query, *data;
  float *result;
  row_filter filter{nullptr};
  const std::size_t words = (p.rows + 31) / 32;
  bool ok = hipMalloc(reinterpret_cast<void **>(&query), p.dim * sizeof(T)) == hipSuccess &&
            hipMalloc(reinterpret_cast<void **>(&data), p.rows * p.dim * sizeof(T)) == hipSuccess &&
            hipMalloc(reinterpret_cast<void **>(&result), p.rows * sizeof(float)) == hipSuccess &&
            hipMemcpy(query, p.query, p.dim * sizeof(T), hipMemcpyHostToDevice) == hipSuccess &&
            hipMemcpy(data, p.data, p.rows * p.dim * sizeof(T), hipMemcpyHostToDevice) == hipSuccess;
  if (ok && p.allowed)
    ok = hipMalloc(reinterpret_cast<void **>(const_cast<std::uint32_t **>(&filter.allowed)), words * 4) == hipSuccess &&
         hipMemcpy(const_cast<std::uint32_t *>(filter.allowed), p.allowed, words * 4, hipMemcpyHostToDevice) == hipSuccess;
  if (ok)
    hipLaunchKernelGGL(search_kernel<T>, dim3(64), dim3(256), 0, 0, query, data, result, filter, p.rows, p.dim);
  return ok && hipMemcpy(p.result, result, p.rows * sizeof(float), hipMemcpyDeviceToHost) == hipSuccess;
}

template <typename T, typename Distance, typename Filter> const char *run(const problem &p) {
  if (launch<T>(p))
    return "gpu";
  reference<T, Distance, Filter>(p);
  return "cpu";
}

} // namespace search
