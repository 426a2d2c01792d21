#include "kernel.hpp"
template<> void f<int>() {}
/* and then
//= unsure
