#include "kernel.hpp"
template <class T> struct holder { T v; }; static holder<Registrar> h;
template<> void f<int>() {}
//= host
