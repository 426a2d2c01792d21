#include "kernel.hpp"
template<> void f<int>() {}
float api(args a) { return f<int>(), 0; }
//= host
