#include "kernel.hpp"
static std::string* s = new std::string(name());
template<> void f<int>() {}
//= host
