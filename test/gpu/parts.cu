// What the kernels of entry.cu are linked with.
__device__ float distance(float a, float b) { return (a - b) * (a - b) + 0.25f; }
__device__ int scaled(int x) { return 7 * x; }
