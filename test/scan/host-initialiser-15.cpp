#include "kernel.hpp"
struct noisy { noisy() { enrol(); } }; static noisy n;
template<> void f<int>() {}
//= host
