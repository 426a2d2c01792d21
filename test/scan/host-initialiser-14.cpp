#include "kernel.hpp"
static std::string s = "x"_s;
template<> void f<int>() {}
//= host
