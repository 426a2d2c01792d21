#include "kernel.hpp"
static int a = 1, b = enrol();
template<> void f<int>() {}
//= host
