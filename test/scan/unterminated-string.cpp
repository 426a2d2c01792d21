#include "kernel.hpp"
template<> void f<int>() {}
static const char* s = "abc;
//= unsure
