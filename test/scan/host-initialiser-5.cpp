#include "kernel.hpp"
static std::thread worker;
template<> void f<int>() {}
//= host
