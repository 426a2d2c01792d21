#include "kernel.hpp"
#if 1 // on
template<> void f<int>() {}
#else
void host() {}
#endif
//= blob f
