#include "kernel.hpp"
;;template<> void f<int>() {};;
namespace n {};
//= blob f
