#include "kernel.hpp"
static int x =
#include "value.inc"
;
template<> void f<int>() {}
//= host
