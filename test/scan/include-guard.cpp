#ifndef BLOB_CU
#define BLOB_CU
#include "kernel.hpp"
template<> void f<int>() {}
#endif // BLOB_CU
//= blob f
