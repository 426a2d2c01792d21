#include "headers/macros.hpp"
EACH(INSTANTIATE, map<int, float>)
//= unsure
