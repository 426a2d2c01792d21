#include "kernel.hpp"
#if 0
this doesn't have to be " code: { (
L'
#endif
template<> void f<int>() {}
//= blob f
