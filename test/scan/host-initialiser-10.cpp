#include "kernel.hpp"
static std::map<int, int, ByEnrolment> sorted;
template<> void f<int>() {}
//= host
