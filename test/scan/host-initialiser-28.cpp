#include "kernel.hpp"
static int n = sizeof(int) + table[0](1);
template<> void f<int>() {}
//= host
