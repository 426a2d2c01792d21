#include "kernel.hpp"
using std::string;
static mutex m;
template<> void f<int>() {}
//= host
