#include "kernel.hpp"
#ifdef A
using namespace std;
#endif
static mutex m;
template<> void f<int>() {}
//= host
