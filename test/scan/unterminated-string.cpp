#include "kernel.hpp"
template<> void f<int>() {}
const char* s = "abc;
//= unsure
