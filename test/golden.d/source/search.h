#pragma once
#include "gpu.h"
struct square {};
struct cube {};
template <class D> __device__ int distance_of(int x);
template <class D> int run(int n);
