#include "kernel.hpp"
template<> void f<int>() {}
static Registrar r("f", &f<int>);
//= unsure
