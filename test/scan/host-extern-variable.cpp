#include "kernel.hpp"
template<> void f<int>() {}
extern const int answer = 42;
//= host
