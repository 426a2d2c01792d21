#include "kernel.hpp"
template void box<int>::run<3>();
//= host
