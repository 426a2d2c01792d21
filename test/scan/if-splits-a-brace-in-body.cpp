#include "kernel.hpp"
template<> void f<int>() {
#ifdef A
  if (x) {
#else
  if (y) {
#endif
  }
}
//= unsure
