#include "headers/macros.hpp"
INSTANTIATE(256, float
//= unsure
