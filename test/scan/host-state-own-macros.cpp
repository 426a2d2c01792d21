#include "kernel.hpp"
#define EIGHT 8
static long most = EIGHT; // a header may define it, too
template<> void f<int>() {}
//= host
