#include "kernel.hpp"
static Config& c = config;
template<> void f<int>() {}
//= host
