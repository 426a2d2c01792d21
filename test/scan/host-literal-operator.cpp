#include "kernel.hpp"
int operator""_km(unsigned long long x) { return x; }
//= host
