#include "kernel.hpp"
struct noisy { noisy(int x) : n(enrol(x)) {} int n; }; static noisy n{1};
template<> void f<int>() {}
//= host
