#include "kernel.hpp"
int calls = 0;
template<> void f<int>() {}
//= host
