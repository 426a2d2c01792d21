#include "kernel.hpp"
static auto say = [] { enrol(); return 1; }; static int said = say();
template<> void f<int>() {}
//= host
