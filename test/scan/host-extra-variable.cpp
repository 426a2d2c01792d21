#include "kernel.hpp"
template<> void f<int>() {}
int counter = 0;
//= host
