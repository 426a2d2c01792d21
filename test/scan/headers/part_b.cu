#pragma once
#include "launch.hpp"
template void step<64>(const params& p);
