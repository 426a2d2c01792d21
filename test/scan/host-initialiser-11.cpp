#include "kernel.hpp"
static int threads = config::threads;
template<> void f<int>() {}
//= host
