#include "kernel.hpp"
#define LONG(a) \
  { a } \
  void not_code()
template<> \
void f<int>() \
{ }
//= blob f
