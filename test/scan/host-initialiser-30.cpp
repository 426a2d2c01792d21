#include "kernel.hpp"
__attribute__((constructor)) static void at_load() {}
template<> void f<int>() {}
//= host
