#include "kernel.hpp"
static int n = apply([] { return 1; });
template<> void f<int>() {}
//= host
