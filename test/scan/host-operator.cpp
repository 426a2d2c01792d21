#include "kernel.hpp"
bool operator<(const a& x, const a& y) { return x.n < y.n; }
//= host
