#include "kernel.hpp"
struct noisy : Registrar { }; static noisy n;
template<> void f<int>() {}
//= host
