#include "kernel.hpp"
#ifdef A
# ifndef B
template<> void f<int>() {}
# else // B
template<> void g<int>() {}
# endif
#endif
//= blob f g
