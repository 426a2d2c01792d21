#include "kernel.hpp"
struct noisy { Registrar r; }; static noisy n;
template<> void f<int>() {}
//= host
