#include "kernel.hpp"
#define INIT 1
#undef INIT
#define INIT now()
static int n = INIT;
template<> void f<int>() {}
//= host
