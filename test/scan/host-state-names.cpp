#include "kernel.hpp"
static int order = ENROL;
template<> void f<int>() {}
//= host
