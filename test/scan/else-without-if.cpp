#include "kernel.hpp"
template<> void f<int>() {}
#else
#endif
//= unsure
