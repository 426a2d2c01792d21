#include "kernel.hpp"
struct own { int v; own(); };
own::own() : v{9} {}
template<> int f<1>() { return own().v; }
//= host
