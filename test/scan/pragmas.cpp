#pragma once
#include "kernel.hpp"
#pragma clang diagnostic push
#line 7 "x.in"
#error
template<> void f<int>() {
#pragma unroll
 for (;;) ; }
#
//= blob f
