#ifndef PART_A
#define PART_A
#include "launch.hpp"
#ifndef NO_DIM_64
template <> void run<64>(const params& p) { launch<64>(p); }
#endif
#endif
