#include "kernel.hpp"
#ifdef A
#define INIT 1
#endif
static int n = INIT;
template<> void f<int>() {}
//= host
