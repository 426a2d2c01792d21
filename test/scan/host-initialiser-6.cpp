#include "kernel.hpp"
static std::random_device device;
template<> void f<int>() {}
//= host
