#define KERNEL_WORDS static __global__
