#include "kernel.hpp"
template<> void f<int>() {}
namespace { const Registrar r; }
//= host
