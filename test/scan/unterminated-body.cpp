#include "kernel.hpp"
template<> void f<int>() { if (x) {
}
//= unsure
