#include "search.h"
using ckjit_fragment = square;
template <> __device__ int distance_of<int>(int x) { return x*x; }
