#include "kernel.hpp"
#define N 4 \
  + 3
using t = traits<N>;
// a comment \
that goes on {
template<> void f<t>()
{ "a\
b"; }
//= blob f
