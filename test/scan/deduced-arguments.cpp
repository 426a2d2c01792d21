#include "kernel.hpp"
template<> void f(int, ns::type<3> x) {}
//= blob f
