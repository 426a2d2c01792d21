#include "kernel.hpp"
static int calls;
static unsigned long long total = 0;
namespace { bool done = false; float table[2][2] = {{1.f, -2.f}, {0x1p3f, 4}}; std::size_t bytes{16}; }
static volatile thread_local char mark = 'x';
static const char* name = "kernel";
template<> void f<int>() { calls++; }
//= blob f
