#include "headers/macros.hpp"
CHOSEN(4)
//= unsure
