#include "kernel.hpp"
static int helper() { return enrol(); } static int n = helper();
template<> void f<int>() {}
//= host
