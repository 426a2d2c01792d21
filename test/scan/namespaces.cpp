#include "kernel.hpp"
namespace a { inline namespace v1 { namespace b::c { template<> void f<int>() {} } } }
namespace x = a::b;
namespace [[deprecated]] d { template<> void g<int>() {} }
//= blob f g
