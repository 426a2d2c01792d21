#include "kernel.hpp"
__attribute__((constructor)) static void at_load() { enrol("f"); }
template<> void f<int>() {}
//= host
