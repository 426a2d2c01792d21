#include "kernel.hpp"
template<> void f<int>() {} }
//= unsure
