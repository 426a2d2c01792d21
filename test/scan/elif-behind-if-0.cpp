#include "kernel.hpp"
#if 0
#elif defined(A)
template<> void f<int>() {}
#endif
//= unsure
