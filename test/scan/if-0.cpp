#include "kernel.hpp"
#if 0
void host() {}
}}}
#else
template<> void f<int>() {}
#endif
//= blob f
