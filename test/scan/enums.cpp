#include "kernel.hpp"
enum { N = 4, M };
enum class E : int { x };
enum F { y = sizeof(int) };
template<> void f<1>() { g(N); }
//= blob f
