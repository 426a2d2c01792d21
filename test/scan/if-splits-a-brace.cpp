#include "kernel.hpp"
#ifdef A
template<> void f<int>() {
#endif
#ifdef A
}
#endif
//= unsure
