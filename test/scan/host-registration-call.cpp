#include "kernel.hpp"
template<> void f<int>() {}
static const bool done = enrol(&f<int>);
//= host
