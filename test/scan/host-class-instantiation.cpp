#include "kernel.hpp"
template class box<int>;
//= host
