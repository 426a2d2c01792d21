#include "kernel.hpp"
static std::array<Registrar, 2> both;
template<> void f<int>() {}
//= host
