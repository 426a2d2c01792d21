#include "kernel.hpp"
template <int N> using t = traits<N, true>;
using u [[maybe_unused]] = t<3>;
template<> void f<u>() {}
//= blob f
