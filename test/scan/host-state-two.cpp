#include "kernel.hpp"
static int first = 1, second = enrol();
template<> void f<int>() {}
//= host
