#include "kernel.hpp"
#ifdef A
template<> void f<int>() {}
//= unsure
