#include "kernel.hpp"
template<> void f<int>() {}
REGISTER_KERNEL("f", f<int>);
//= unsure
