#include "kernel.hpp"
template<> int f<int>(int x) try { return x; } catch (int) { return 1; } catch (...) { return 2; }
template<> void g<int>() {}
//= blob f g
