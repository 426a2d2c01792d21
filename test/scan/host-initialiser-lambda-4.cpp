#include "kernel.hpp"
static bool registered = [] { auto go = [] { enrol(); }; go(); return true; }();
template<> void f<int>() {}
//= host
