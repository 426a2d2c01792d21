#include "kernel.hpp"
namespace { [[gnu::constructor]] void at_load() { enrol("f"); } }
template<> void f<int>() {}
//= host
