#include "headers/part_b.cu"
template <> void run<32>(const params& p) { launch<32>(p); }
//= blob step run
