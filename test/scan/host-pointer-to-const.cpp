#include "kernel.hpp"
template<> void f<int>() {}
const char* version = "1";
//= host
