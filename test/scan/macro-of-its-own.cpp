#include "launch.hpp"
#define RUN(n) template <> void run<n>(const params& p) { launch<n>(p); }
RUN(32)
RUN(64)
//= blob run run
