#include "kernel.hpp"
#if 0
this doesn't have to be " code
L'
#endif
#ifdef NOWHERE
nor that, isn't it
#endif
template<> void f<int>() {}
//= unsure
