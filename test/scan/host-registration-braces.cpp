#include "kernel.hpp"
template<> void f<int>() {}
static const Registrar r{"f"};
//= host
