#include "kernel.hpp"
#ifdef A
template<> void f<int>()
#else
template<> void g<int>()
#endif
{}
//= unsure
