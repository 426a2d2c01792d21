#include "kernel.hpp"
static lib::mode now = lib::mode::fast; // a static member, for all that the text says
template<> void f<1>() { g((int)now); }
//= host
