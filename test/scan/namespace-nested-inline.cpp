#include "kernel.hpp"
namespace a::inline v2 { template<> void f<int>() {} }
//= blob f
