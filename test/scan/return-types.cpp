#include "kernel.hpp"
template<> auto f<int>(int x) -> decltype(x + 1) { return x; }
template<> decltype(auto) g<int>() { return 1; }
template<> std::enable_if_t<(N > 3), map<int, v<int>>> h<int>() { return {}; }
template<> const ns::a<b>& i<int>() { static ns::a<b> x; return x; }
//= blob f g h i
