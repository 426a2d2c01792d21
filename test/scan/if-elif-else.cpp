#include "kernel.hpp"
#if defined(A)
template<> void f<int>() {}
#elif B > 2
template<> void g<int>() {}
#else
template<> void h<int>() {}
#endif
//= blob f g h
