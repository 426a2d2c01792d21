#include "kernel.hpp"
template<> void f<int>() {}
static const int done = [] { list = 1; return 1; }();
//= host
