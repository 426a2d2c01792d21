#include "kernel.hpp"
#define INIT(x) no##x()
static int n = INIT(w);
template<> void f<int>() {}
//= host
