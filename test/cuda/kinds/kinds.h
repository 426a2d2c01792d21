// kinds.h - one template; its specialisations are the blobs of test/cuda-kernels.sh, by what kernels they have.
#pragma once

#include <cuda_runtime.h>

namespace kinds {
template <int Kind>
int run(float *x, int n);
}
