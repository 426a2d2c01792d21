#include "search.h"
using ckjit_fragment = cube;
template <> __device__ int distance_of<int>(int x) { return x*x*x; }
