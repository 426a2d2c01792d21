#include "kernel.hpp"
static std::function<int()> g = std::bind(enrol, 1);
template<> void f<int>() {}
//= host
