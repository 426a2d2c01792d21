#include "kernel.hpp"
template<> void f<int>() {}
static Registrar r;
//= host
