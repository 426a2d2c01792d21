#include "kernel.hpp"
template<> void f<n < 3>(int) {}
//= unsure
