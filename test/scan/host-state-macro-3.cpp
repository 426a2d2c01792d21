#include "kernel.hpp"
#define INIT 1
#include "other.hpp" // which may say #define INIT now()
static int n = INIT;
template<> void f<int>() {}
//= host
