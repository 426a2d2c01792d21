#include "kernel.hpp"
template<> void f<int>() {}
#endif
//= unsure
