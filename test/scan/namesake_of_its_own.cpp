// a host source like any other
#include "headers/launch.hpp"
int namesake_of_its_own(int n) { return n; }
//= host
