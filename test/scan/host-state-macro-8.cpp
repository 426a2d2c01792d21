#include "kernel.hpp"
#define ONE TWO
#define TWO ONE
static int n = ONE;
template<> void f<int>() {}
//= host
