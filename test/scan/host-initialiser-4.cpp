#include "kernel.hpp"
static std::ofstream log{"log.txt"};
template<> void f<int>() {}
//= host
