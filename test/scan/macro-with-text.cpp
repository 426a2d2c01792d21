#include "headers/macros.hpp"
NAMED(four)
//= unsure
