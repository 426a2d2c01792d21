#include "kernel.hpp"
static int order = enrol();
template<> void f<int>() {}
//= host
