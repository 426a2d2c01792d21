/* template<> void a<int>() {} */
// template<> void b<int>() {} \
void host_in_a_comment() {}
#include "kernel.hpp"
template<> void f<int>(/* ) { */ int x) { /* } */ } // }
//= blob f
