#include "kernel.hpp"
template<> void f<int>() {}
struct s { int a; } the_one;
//= host
