#include "kernel.hpp"
template<> void f<int>() {}
extern "C" { int g(int x) { return x; } }
//= host
