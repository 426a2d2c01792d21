#include "kernel.hpp"
template<> void f<int>() {}
#ifdef A
void g() {}
#endif
//= host
