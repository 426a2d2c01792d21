#include "kernel.hpp"
template<> int value<int> = 3;
//= host
