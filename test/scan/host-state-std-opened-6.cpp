#include "kernel.hpp"
using namespace std;
static int n = value;
template<> void f<int>() {}
//= host
