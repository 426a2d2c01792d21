#include "kernel.hpp"
int now();
#define CALL (
static int n = now CALL );
template<> void f<int>() {}
//= unsure
