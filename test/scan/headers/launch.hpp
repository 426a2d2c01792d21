#pragma once
#include "macros.hpp"
template <int N> void run(const params& p);
template <int N> void step(const params& p) {}
