#include "kernel.hpp"
static std::pair<int, Registrar> pair;
template<> void f<int>() {}
//= host
