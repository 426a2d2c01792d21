#include "kernel.hpp"
template<> const char* f<int>() { return R"(a " } \" // )" R"x({ )" } )x" u8R"({{ /* )"; }
template<> const char* g<int>() { return LR"delim(
#if 0
)delim"; }
//= blob f g
