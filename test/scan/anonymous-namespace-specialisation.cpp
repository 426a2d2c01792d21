#include "kernel.hpp"
namespace { template<> void f<int>() {} }
//= host
