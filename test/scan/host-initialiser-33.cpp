#include "kernel.hpp"
static std::atomic<int> n{ORDER};
template<> void f<int>() {}
//= host
