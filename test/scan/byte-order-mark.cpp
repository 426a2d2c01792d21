#include "kernel.hpp"
template<> void f<int>() {}
//= blob f
