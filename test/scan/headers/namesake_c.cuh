#include "launch.hpp"
extern "C" int namesake_c(int n) { return n; }
