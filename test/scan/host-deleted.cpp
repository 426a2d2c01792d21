#include "kernel.hpp"
template<> void f<int>() = delete;
template<> void g<int>() {}
//= unsure
