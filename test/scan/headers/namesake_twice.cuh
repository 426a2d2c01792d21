#pragma once
#include "launch.hpp"
tensor
namesake_twice(
    tensor& x,
    int n)
{
#if 0
    bool pad = n % 16;
#else
    bool pad = false;
#endif
    return pad ? x : launch<16>(x, n);
}
int helper_of_it() { return 2; }
