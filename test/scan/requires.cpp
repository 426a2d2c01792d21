#include "kernel.hpp"
template<> int f<int>(int) requires (sizeof(int) > 2) { return 1; }
template <class T> concept C = sizeof(T) > 1;
namespace { template <C T> int g(T t) requires C<T> { return 0; } }
//= blob f
