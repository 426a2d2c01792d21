#include "kernel.hpp"
#define INIT INIT
static int n = INIT;
template<> void f<int>() {}
//= host
