#include "kernel.hpp"
template<> void f<int>(int a
#ifdef A
  , int b
#endif
) {}
//= unsure
