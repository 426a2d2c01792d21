#include "kernel.hpp"
using namespace std;
static mutex hold; // a header may have another
template<> void f<int>() {}
//= host
