#include "kernel.hpp"
template<> void f<int>() {}
template<> bool operator()<int>(int) { return 1; }
//= host
