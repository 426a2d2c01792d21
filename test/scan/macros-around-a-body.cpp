// what stands behind END must not be taken for a part of the function
#include "kernel.hpp"
#define BEGIN {
#define END }
static long own(long v) BEGIN return v + 1; END
template int f<int>(int) noexcept;
template<> int f<2>() { return own(1); }
//= unsure
