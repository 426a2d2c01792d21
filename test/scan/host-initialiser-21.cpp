#include "kernel.hpp"
struct quiet { inline static bool done = enrol(); };
template<> void f<int>() {}
//= host
