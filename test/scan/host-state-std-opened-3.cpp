#include "kernel.hpp"
using namespace std;
static int n = max(1, 2); // the overloads of a header, too
template<> void f<int>() {}
//= host
