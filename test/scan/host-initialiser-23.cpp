#include "kernel.hpp"
static row __attribute__((section("rows"), used)) r = {1};
template<> void f<int>() {}
//= host
