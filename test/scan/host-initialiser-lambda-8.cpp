#include "kernel.hpp"
static int seed = [x = enrol()] { return x; }();
template<> void f<int>() {}
//= host
