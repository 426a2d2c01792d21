#include "kernel.hpp"
template<> void f<int>() {}
static const char* s = R"x(abc)y";
//= unsure
