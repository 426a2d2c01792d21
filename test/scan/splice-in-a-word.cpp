#include "kernel.hpp"
template<> void f<int>() {}
vo\
id g() {}
//= unsure
