#include "kernel.hpp"
static int values[] = {1, 2, enrol()};
template<> void f<int>() {}
//= host
