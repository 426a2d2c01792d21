#include "kernel.hpp"
#include <vector>
//= unsure
