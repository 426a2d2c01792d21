#include "kernel.hpp"
template<> void f<int>() {}
asm(".globl x\nx:");
//= host
