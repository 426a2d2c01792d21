#include "kernel.hpp"
[[gnu::destructor]] static void at_unload() {}
template<> void f<int>() {}
//= host
