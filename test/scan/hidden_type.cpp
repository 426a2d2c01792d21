#include "kernel.hpp"
struct row { int a; };
namespace lib { static row first{1}; } // a header may have lib::row
template<> void f<1>() { g(lib::first.a); }
//= host
