#include "kernel.hpp"
template<> box<int>::box() : a(1), b{2} {}
//= host
