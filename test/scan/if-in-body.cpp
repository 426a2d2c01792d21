#include "kernel.hpp"
template<> void f<int>() {
#ifdef A
  if (x) { y(); }
#else
  if (y) { x(); }
#endif
}
//= blob f
