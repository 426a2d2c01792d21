#include "kernel.hpp"
template<> void box<int>::run() {}
//= host
