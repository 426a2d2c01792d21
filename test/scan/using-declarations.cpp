#include "kernel.hpp"
using namespace ck_tile;
using ck_tile::index_t;
template<> void f<index_t>() {}
//= blob f
