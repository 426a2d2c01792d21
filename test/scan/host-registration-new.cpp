#include "kernel.hpp"
template<> void f<int>() {}
static const T* const done = new T;
//= host
