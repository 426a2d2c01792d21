#include "kernel.hpp"
template<> void f<int>() {}
static Registrar r(name, function);
//= unsure
