#include "kernel.hpp"
template<> void f<int>() {}
template struct ns::box<int>;
//= host
