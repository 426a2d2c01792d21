#include "kernel.hpp"
template<> const char* f<int>() { return "}\" template<> void g<int>() {} \\"; }
template<> char h<int>() { return '{' + '\'' + L'"' + u8'}'; }
//= blob f h
