#include "kernel.hpp"
static int ms = 10_ms;
template<> void f<int>() {}
//= host
