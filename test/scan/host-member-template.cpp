#include "kernel.hpp"
template<> template<> void box<int>::run<3>() {}
//= host
