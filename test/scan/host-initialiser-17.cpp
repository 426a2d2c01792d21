#include "kernel.hpp"
struct noisy { int n = enrol(); }; static noisy n;
template<> void f<int>() {}
//= host
