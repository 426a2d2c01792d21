#include "kernel.hpp"
static std::string home{getenv("HOME")};
template<> void f<int>() {}
//= host
