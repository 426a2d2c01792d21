#include "kernel.hpp"
namespace lib { struct row { int a; }; }
static lib::row first{1};
template<> void f<1>() { g(first.a); }
//= host
