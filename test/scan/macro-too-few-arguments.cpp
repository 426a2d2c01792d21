#include "headers/macros.hpp"
INSTANTIATE(256)
//= unsure
