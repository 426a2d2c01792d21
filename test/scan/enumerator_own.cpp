#include "kernel.hpp"
enum class mode { slow, fast };
static mode now = mode::fast;
static constexpr lib::mode first = lib::mode::fast;
template<> void f<1>() { g((int)now + (int)first); }
//= blob f
