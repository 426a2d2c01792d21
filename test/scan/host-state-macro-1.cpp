#include "kernel.hpp"
#define INIT now()
static int n = INIT;
template<> void f<int>() {}
//= host
