#ifndef BLOB_CU
#define BLOB_CU
template<> void f<int>() {}
#else
template<> void g<int>() {}
#endif
//= unsure
