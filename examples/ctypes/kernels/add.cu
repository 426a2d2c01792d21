#include "family.h"
#ifndef A
#define A 1
#endif
template <> int add_<0>(int b) { return A + b; }
