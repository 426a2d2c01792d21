#include "kernel.hpp"
template<> [[nodiscard]] __attribute__((visibility("default"))) int f<int>(int) noexcept(noexcept(g(1))) { return 1; }
template<> void h<int>() noexcept {}
//= blob f h
